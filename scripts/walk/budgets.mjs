// HSE-2: how far a reader goes at most to follow one thing. A change that needs more straightens another way, or raises
// a number here and says why. What is below its budget lowers it.

/** Files of one `src` that import each other in a row, types included. */
export const CHAINS = {
  'examples/admin-console': 16,
  'examples/reference-server': 29,
  'packages/audit-log': 24,
  'packages/envelope-crypto': 24,
  'packages/system-parameters': 16,
  'packages/upload-policy': 16,
  'packages/login-policy': 14,
};

/** Of every other package and example. */
export const CHAIN = 12;

/**
 * On the embedded database, whose statements come back through a file of the server. The tables of refusals, the limits
 * of connections and what reads the raw URL have files of their own: five more in a payment than before them. What is
 * built once for the process passes the renderer of plugin-kit: nine moves more in a payment, and less processor time.
 * The duty to change a password is read when the request arrives and in the transaction: four moves more in a payment,
 * ten from room to room. Whether a session has the factor that it needs is asked at the same two places: six files,
 * twelve moves and twenty from room to room more in a payment. A sign-in decides whether a second step follows, notes
 * the use of the account, and gives the session its proof: eleven files, 25 moves and 36 from room to room more.
 * Counted again since: the duties of a session stand in a file of their own, and what reviews found to be missing is
 * looked at on the way. A payment passes six files more, a health check three; a sign-in moves less.
 * The check of a session may bring permissions and a count, which saves a request two waits: three files and seven
 * moves from room to room more in a payment, two files more in a sign-in.
 * The bounded map of five caches is one of plugin-kit, also that of the embedded store: 35 moves more in a sign-in,
 * thirteen in a payment. Methods of replies are replaced for the whole application, so a health check passes those of
 * idempotency: four files. A request takes a third less processor time than before.
 */
export const WALKS = {
  'health check': { files: 66, moves: 60, roomMoves: 85 },
  'sign-in': { files: 155, moves: 308, roomMoves: 430 },
  'encrypted payment': { files: 171, moves: 189, roomMoves: 350 },
};
