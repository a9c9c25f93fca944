// HSE-2: how far a reader goes at most to follow one thing. A change that needs more straightens another way, or raises
// a number here and says why. What is below its budget lowers it.

/** Files of one `src` that import each other in a row, types included. */
export const CHAINS = {
  'examples/admin-console': 16,
  'examples/reference-server': 31,
  'packages/audit-log': 24,
  'packages/envelope-crypto': 24,
  'packages/system-parameters': 16,
  'packages/upload-policy': 16,
  // The places of a sign-in are taken in one call of the store.
  'packages/login-policy': 16,
  'packages/auth-tokens': 13,
  'packages/idempotency': 13,
};

/** Of every other package and example. */
export const CHAIN = 12;

/**
 * On the embedded database, whose statements come back through a file of the server. The tables of refusals, the limits
 * of connections and what reads the raw URL have files of their own: five more in a payment than before them.
 */
export const WALKS = {
  'health check': { files: 59, moves: 57, roomMoves: 81 },
  'sign-in': { files: 137, moves: 254, roomMoves: 372 },
  'encrypted payment': { files: 154, moves: 146, roomMoves: 288 },
};
