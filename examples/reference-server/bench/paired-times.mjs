/** Unmeasured pairs sent first, so that the code is compiled. */
export const WARM_UP = 20;

const NAME_WIDTH = 44;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** A busy machine refuses some requests. More than this share of the pairs is an error. */
const MAX_REFUSED = 0.1;

/** Half of a 95 % interval, in standard deviations. */
const INTERVAL = 1.96;

/**
 * In how many of the pairs the first kind took longer, with its 95 % interval: 50 % means nothing, and neither does an
 * interval that contains it. The ratio of the medians can be near 1 and yet be seen in many pairs.
 */
function shareOf(times) {
  const [first, second] = times;
  const share = first.filter((millis, pair) => millis > second[pair]).length / first.length;
  const half = INTERVAL * Math.sqrt((share * (1 - share)) / first.length);
  const percent = (value) => (value * 100).toFixed(1);
  return `first slower in ${percent(share)} % (${percent(share - half)} to ${percent(share + half)}) of the pairs`;
}

/**
 * Times two kinds of request alternately, and prints both medians, their ratio, and in how many of the pairs the first
 * was slower. Each kind is a function that resolves to `{ statusCode, millis }`. A pair with a 503 is repeated. Any
 * other status than `status` ends the benchmark.
 */
export async function compareTimes(pairs, name, status, one, other) {
  const times = [[], []];
  let refused = 0;
  for (let pair = -WARM_UP; pair < pairs; pair += 1) {
    const answers = [];
    // The order alternates, so that neither kind always runs second.
    for (const kind of pair % 2 === 0 ? [0, 1] : [1, 0]) answers[kind] = await (kind === 0 ? one() : other());
    if (answers.some(({ statusCode }) => statusCode === 503) && refused < pairs * MAX_REFUSED) {
      refused += 1;
      pair -= 1;
      continue;
    }
    for (const [kind, { statusCode, millis }] of answers.entries()) {
      if (statusCode !== status) throw new Error(`${name}: ${statusCode} instead of ${status}`);
      if (pair >= 0) times[kind].push(millis);
    }
  }
  const [first, second] = times.map(median);
  const ratio = (first / second).toFixed(3);
  const medians = `${first.toFixed(3)} ms  ${second.toFixed(3)} ms  ratio ${ratio}`;
  process.stdout.write(`${name.padEnd(NAME_WIDTH)} ${medians}  ${shareOf(times)}\n`);
}
