import bcrypt from 'bcryptjs';

/**
 * The work of a task. Plain JavaScript, because worker threads load it both from the sources (in tests) and from
 * `dist`.
 *
 * @param {import('./hashing-task.js').HashingTask} task
 * @param {() => void} onProgress called about every 100 ms
 * @returns {Promise<string | boolean>} the hash, or whether the password matches
 */
export async function workOn({ password, cost, hash, hashCost = cost }, onProgress) {
  /** @param {number} rounds log2 of the rounds */
  const hashWith = (rounds) => called((done) => bcrypt.hash(password, rounds, done, onProgress));
  if (hash === undefined) return hashWith(cost);
  const matches = await called((done) => bcrypt.compare(password, hash, done, onProgress));
  // A hash with a lower cost than the current one takes less work than an unknown name does, which would reveal that
  // the name exists (ADM-3). The loop adds the difference: 2^cost is 2^rounds plus the powers in between.
  for (let rounds = hashCost; rounds < cost; rounds += 1) await hashWith(rounds);
  return matches;
}

/**
 * bcryptjs reports its progress only in the functions that take a callback.
 *
 * @template Result
 * @param {(done: (error: Error | null, result?: Result) => void) => void} call
 * @returns {Promise<Result>}
 */
function called(call) {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(/** @type {Result} */ (result))));
  });
}
