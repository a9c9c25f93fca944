import bcrypt from 'bcryptjs';

/**
 * Runs in a worker thread, so that hashing never blocks the event loop. Plain JavaScript, because workers load this
 * file both from the sources (in tests) and from `dist`.
 *
 * @param {{ readonly password: string, readonly cost: number, readonly hash?: string }} task
 *   with a hash: compare the password with it, at the work of the cost; without: hash the password
 * @returns {string | boolean}
 */
export default function work({ password, cost, hash }) {
  if (hash === undefined) return bcrypt.hashSync(password, cost);
  const matches = bcrypt.compareSync(password, hash);
  // A hash with a lower cost than the current one takes less work than an unknown name does, which would reveal that
  // the name exists (ADM-3). The loop adds the difference: 2^cost is 2^rounds plus the powers in between.
  for (let rounds = bcrypt.getRounds(hash); rounds < cost; rounds += 1) bcrypt.hashSync(password, rounds);
  return matches;
}
