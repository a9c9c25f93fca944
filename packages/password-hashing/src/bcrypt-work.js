import bcrypt from 'bcryptjs';

/**
 * The work of a task. Plain JavaScript, because worker threads load it both from the sources (in tests) and from
 * `dist`.
 *
 * @param {import('./hashing-task.js').HashingTask} task
 * @returns {string | boolean} the hash, or whether the password matches
 */
export function workOn({ password, cost, hash }) {
  if (hash === undefined) return bcrypt.hashSync(password, cost);
  const matches = bcrypt.compareSync(password, hash);
  // A hash with a lower cost than the current one takes less work than an unknown name does, which would reveal that
  // the name exists (ADM-3). The loop adds the difference: 2^cost is 2^rounds plus the powers in between.
  for (let rounds = bcrypt.getRounds(hash); rounds < cost; rounds += 1) bcrypt.hashSync(password, rounds);
  return matches;
}
