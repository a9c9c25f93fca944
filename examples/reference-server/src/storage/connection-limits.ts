// How many connections a node holds, and how many of them changes take (TOK-13). Each number depends on the others.

/** The changes of a node. The owner is an account: its password opens many sessions. */
export const CHANGE_TURNS = { maxRunning: 8, maxRunningOfOwner: 6, maxWaitingOfOwner: 64 };

/** Those of the embedded database: it has one session, so an end waits for what has begun. */
export const EMBEDDED_CHANGE_TURNS = { maxRunning: 4, maxRunningOfOwner: 3, maxWaitingOfOwner: 64 };

/**
 * The changes that end sessions. The owner is a session: a thief does not hold up the account's true owner. One at a
 * time takes longer: the last one that waits must still have time for its change.
 */
export const ENDING_TURNS = { maxRunning: 2, maxRunningOfOwner: 1, maxWaitingOfOwner: 32 };

/** The connections of each handle of PostgreSQL: 17 for each node. */
export const MAX_CONNECTIONS = {
  /** It can write. Changes leave two to the audit log and the stores, which need no transaction. */
  writing: CHANGE_TURNS.maxRunning + 2,
  /** Changes leave one to the ends themselves and the beginnings of their records. */
  ending: ENDING_TURNS.maxRunning + 1,
  /** It can only read. */
  reading: 4,
};
