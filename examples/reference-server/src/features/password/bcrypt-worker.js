import bcrypt from 'bcryptjs';

/**
 * Runs in a worker thread, so that hashing never holds the event loop. Plain JavaScript: a worker loads this very file,
 * from the sources under test and from `dist` in service alike.
 *
 * @param {{ readonly password: string, readonly cost: number } | { readonly password: string, readonly hash: string }} task
 *   with a cost: hash the password; with a hash: compare them
 * @returns {string | boolean}
 */
export default function work(task) {
  return 'hash' in task ? bcrypt.compareSync(task.password, task.hash) : bcrypt.hashSync(task.password, task.cost);
}
