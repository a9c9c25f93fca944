/** What the driver tells of the connection of a result: what its startup was told, for the life of the connection. */
export type ConnectionState = { readonly pid: number | null; readonly secret: number | null } | null | undefined;

/** The connection of a transaction. */
export interface MetConnection {
  /** Whether its settings are proved for its life. */
  readonly isProved: boolean;
  /**
   * Its settings hold in the session of this backend. They hold for the life of the connection only if that is the
   * backend of the startup: a pooler answers the startup itself, with a number of its own.
   */
  prove(backend: number): void;
}

/** The connections that transactions were given. */
export interface MetConnections {
  meet(state: ConnectionState): MetConnection;
  /** A connection has ended: what comes in its place may look like it. */
  forgetAll(): void;
}

/** Far more than the pools have. Past it all are forgotten, and proved again. */
const MAX_CONNECTIONS = 100;

/** A driver that does not tell its connections: each transaction proves its settings. */
const UNKNOWN: MetConnection = { isProved: false, prove() {} };

/** @param onNew a connection is met for the first time */
export function createMetConnections(onNew: () => void): MetConnections {
  // Whether each is proved, by the number and the secret of its startup.
  let met = new Map<string, boolean>();
  return {
    meet(state) {
      const { pid, secret } = state ?? {};
      if (typeof pid !== 'number' || typeof secret !== 'number') return UNKNOWN;
      const key = `${pid} ${secret}`;
      const isProved = met.get(key);
      if (isProved === undefined) {
        if (met.size >= MAX_CONNECTIONS) met.clear();
        met.set(key, false);
        onNew();
      }
      // A proof that comes after `forgetAll` is lost.
      const known = met;
      return {
        isProved: isProved === true,
        prove(backend) {
          if (backend === pid) known.set(key, true);
        },
      };
    },

    forgetAll() {
      met = new Map();
    },
  };
}
