/** How long one contender runs before the next one, in milliseconds. */
const TURN_MILLIS = 40;

const WARM_UP_MILLIS = 150;

/** Processor time comes in microseconds. */
const MIN_NANOSECONDS = 1000;

/** Processor time, not elapsed time, so that other work of the machine does not count. Contenders use one thread. */
function nanoseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Times contenders against each other. Each has one turn per round, and the first one changes, so that other work of
 * the machine affects all alike. Returns medians in microseconds.
 *
 * @param contenders by name: `(iterations) => nanoseconds`, or a promise of them
 */
export async function timeInTurns(contenders, rounds) {
  const names = Object.keys(contenders);
  const iterations = {};
  for (const name of names) iterations[name] = await iterationsOfOneTurn(contenders[name]);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const place of names.keys()) {
      const name = names[(place + round) % names.length];
      times[name].push((await contenders[name](iterations[name])) / iterations[name]);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name]) / 1000]));
}

async function iterationsOfOneTurn(contender) {
  let iterations = 1;
  let taken = Math.max(MIN_NANOSECONDS, await contender(1));
  for (let spent = taken; spent < WARM_UP_MILLIS * 1e6; spent += taken) {
    iterations = Math.max(1, Math.min(iterations * 2, Math.floor((TURN_MILLIS * 1e6 * iterations) / taken)));
    taken = Math.max(MIN_NANOSECONDS, await contender(iterations));
  }
  return Math.max(1, Math.round((TURN_MILLIS * 1e6 * iterations) / taken));
}

/** A contender in this process. */
export const inProcess = (work) => (iterations) => {
  const start = nanoseconds();
  for (let i = 0; i < iterations; i += 1) work();
  return nanoseconds() - start;
};
