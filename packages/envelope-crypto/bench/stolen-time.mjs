import { readFileSync } from 'node:fs';

/** Fields of the first line of /proc/stat, in the order of proc(5). The eighth is the time that the host took. */
const STEAL = 7;
const FIELDS = 8;

function ticks() {
  const fields = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/ +/)
    .slice(1, 1 + FIELDS)
    .map(Number);
  return { stolen: fields[STEAL], all: fields.reduce((sum, field) => sum + field, 0) };
}

/**
 * Resolves to the result of the work, and to the share of the machine's processors that its host took meanwhile: null
 * where it is unknown.
 */
export async function withStolenTime(work) {
  const before = process.platform === 'linux' ? ticks() : null;
  const result = await work();
  if (before === null) return { result, stolen: null };
  const after = ticks();
  return { result, stolen: (after.stolen - before.stolen) / Math.max(1, after.all - before.all) };
}
