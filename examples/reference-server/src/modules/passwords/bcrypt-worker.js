import bcrypt from 'bcryptjs';

/**
 * Runs in a worker thread, so that hashing never holds the event loop. Plain JavaScript: a worker loads this very file,
 * from the sources under test and from `dist` in service alike.
 *
 * @param {{ readonly password: string, readonly cost: number, readonly hash?: string }} task
 *   with a hash: compare them, with the work of the cost; without: hash the password
 * @returns {string | boolean}
 */
export default function work({ password, cost, hash }) {
  if (hash === undefined) return bcrypt.hashSync(password, cost);
  const matches = bcrypt.compareSync(password, hash);
  // A hash from before the cost rose took less work than an unknown name does, and would tell that the name is known
  // (ADM-3). 2^cost is 2^rounds and the sum of the powers between.
  for (let rounds = bcrypt.getRounds(hash); rounds < cost; rounds += 1) bcrypt.hashSync(password, rounds);
  return matches;
}
