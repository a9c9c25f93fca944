/** Unmeasured pairs sent first, so that the code is compiled. */
export const WARM_UP = 20;

const NAME_WIDTH = 44;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Times two kinds of request alternately, and prints both medians and their ratio. Each kind is a function that
 * resolves to `{ statusCode, millis }`. Any status other than `status` ends the benchmark.
 */
export async function compareTimes(pairs, name, status, one, other) {
  const times = [[], []];
  for (let pair = -WARM_UP; pair < pairs; pair += 1) {
    // The order alternates, so that neither kind always runs second.
    for (const kind of pair % 2 === 0 ? [0, 1] : [1, 0]) {
      const { statusCode, millis } = await (kind === 0 ? one() : other());
      if (statusCode !== status) throw new Error(`${name}: ${statusCode} instead of ${status}`);
      if (pair >= 0) times[kind].push(millis);
    }
  }
  const [first, second] = times.map(median);
  const ratio = (first / second).toFixed(3);
  process.stdout.write(`${name.padEnd(NAME_WIDTH)} ${first.toFixed(3)} ms  ${second.toFixed(3)} ms  ratio ${ratio}\n`);
}
