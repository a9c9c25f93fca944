/** Runs of one measurement: some unmeasured, then an odd number whose median counts. */
const WARM_UPS = 2;
const RUNS = 7;

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** The median time of a call, in milliseconds. */
export async function medianTime(call, runs = RUNS) {
  const times = [];
  for (let run = -WARM_UPS; run < runs; run += 1) {
    const began = performance.now();
    await call();
    if (run >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** Results of several series. `note` adds a point to a line. */
export function createResults(...series) {
  const measured = Object.fromEntries(series.map((id) => [id, {}]));
  return {
    measured,
    note(id, name, size, value) {
      measured[id][name] ??= [];
      measured[id][name].push([size, value]);
    },
  };
}
