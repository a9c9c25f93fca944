// What may come of a mistake. A case is the mistake in one sentence, an application that makes it, and one of these.

/**
 * The application ends before it listens. What it prints names the option, plugin or route, and says what to do.
 * @param {string} mistake
 * @param {string} app its file, below the room's folder `apps`; arguments may follow
 * @param {RegExp} names
 * @param {RegExp} fix
 */
export function refused(mistake, app, names, fix) {
  return { kind: 'refused', mistake, app, patterns: [names, fix] };
}

/**
 * The application listens, and the protection is in force. A 500 is a fault, unless `answers500` gives a reason.
 * @param {string} mistake
 * @param {string} app as above
 * @param {string} shows what the check has seen
 * @param {(server: import('./run-application.mjs').RunningServer) => Promise<void>} check
 * @param {{ answers500?: string, alone?: boolean }} [exceptions] `alone`: in a process that no other case shares
 */
export function works(mistake, app, shows, check, exceptions = {}) {
  return { kind: 'works', mistake, app, shows, check, ...exceptions };
}

/**
 * The compiler objects to each line that ends in `// mistake`, and to no other.
 * @param {string} mistake
 * @param {string} app as above
 * @param {RegExp} says
 */
export function doesNotCompile(mistake, app, says) {
  return { kind: 'does not compile', mistake, app, patterns: [says] };
}
