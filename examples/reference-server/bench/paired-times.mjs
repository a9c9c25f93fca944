/** Pairs before those that are measured, until the compiler has done its work. */
export const WARM_UP = 20;

const NAME_WIDTH = 44;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Times two kinds of request by turns, and prints both medians and their ratio. Each kind is a function that resolves
 * to `{ statusCode, millis }`; another status than the one that both must have ends the benchmark.
 */
export async function compareTimes(pairs, name, status, one, other) {
  const times = [[], []];
  for (let pair = -WARM_UP; pair < pairs; pair += 1) {
    // The order alternates, so that neither always follows the other.
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
