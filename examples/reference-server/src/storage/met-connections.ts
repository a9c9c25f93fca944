/**
 * The driver's information about the connection of a result. It comes from the startup and stays for the life of the
 * connection.
 */
export type ConnectionState = { readonly pid: number | null; readonly secret: number | null } | null | undefined;

/** The connection of a transaction. */
export interface MetConnection {
  /** Whether its settings are proved for its life. */
  readonly isProved: boolean;
  /**
   * The settings are proved for the session of this backend. They hold for the life of the connection only if it is the
   * backend of the startup, because a pooler answers the startup itself, with its own number.
   */
  prove(backend: number): void;
}

/** The connections that transactions have used. */
export interface MetConnections {
  meet(state: ConnectionState): MetConnection;
  /** A connection has ended. Its replacement may look like it. */
  forgetAll(): void;
}

/** Far more than the pools have. Beyond it, all are forgotten and proved again. */
const MAX_CONNECTIONS = 100;

/** For a driver that does not identify its connections, each transaction proves its settings. */
const UNKNOWN: MetConnection = { isProved: false, prove() {} };

/** @param onNew called when a connection is seen for the first time */
export function createMetConnections(onNew: () => void): MetConnections {
  // Whether each connection is proved, by the number and the secret of its startup.
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
