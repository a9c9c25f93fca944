import { readFileSync } from 'node:fs';

/** Fields of the first line of /proc/stat, in proc(5)'s order: what a host took from its guest is the eighth. */
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
 * Resolves to what the work resolves to, and the share of the machine's processors that its host gave to others
 * meanwhile: null where nobody says.
 */
export async function withStolenTime(work) {
  const before = process.platform === 'linux' ? ticks() : null;
  const result = await work();
  if (before === null) return { result, stolen: null };
  const after = ticks();
  return { result, stolen: (after.stolen - before.stolen) / Math.max(1, after.all - before.all) };
}
