import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import type { PendingQuery, Row, Sql, TransactionSql } from 'postgres';
import { type ConnectionState, createMetConnections, type MetConnection } from './met-connections.js';
import { NoOwnSessionError, type ReliedOn } from './session-proof.js';

/** The time limit of a proof. Statements wait for it, and their callers wait 1.8 s at most. */
const PROOF_LIMIT_MILLIS = 1500;

/** The time for which a failed proof counts. */
const PAUSE_MILLIS = 250;

/** Watches whether the sessions of PostgreSQL are still those that the start has proved. Requirement REL-15. */
export interface SessionWatch {
  /** A connection has ended. The next one may lead elsewhere, but look the same. */
  endConnection(): void;
  /** A connection has other settings. The proofs of the others stay valid. */
  doubt(): void;
  /**
   * Null if nothing is in doubt. Otherwise it proves the sessions again, and rejects with {@link NoOwnSessionError} if
   * that fails.
   */
  settled(): Promise<void> | null;
  /**
   * A transaction has begun on this connection. A new connection puts the sessions in doubt, because it may lead
   * elsewhere.
   */
  meet(state: ConnectionState): MetConnection;
}

/**
 * If a proof can't be made, for example while PostgreSQL is unavailable, statements are not stopped, because they fail
 * by themselves.
 *
 * @param prove makes the proof on its own connections
 */
export function watchSessions(prove: () => Promise<void>): SessionWatch {
  let doubts = 0;
  let settledDoubts = 0;
  let fault: NoOwnSessionError | null = null;
  let proving: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  const doubt = () => {
    doubts += 1;
  };
  const connections = createMetConnections(doubt);

  async function proveAgain(): Promise<void> {
    const endsAt = performance.now() + PROOF_LIMIT_MILLIS;
    const leftMillis = () => endsAt - performance.now();
    try {
      // A doubt during a proof needs another proof.
      while (settledDoubts !== doubts && leftMillis() > 0) {
        const known = doubts;
        await withinDeadline(prove(), leftMillis(), () => new Error('No proof in time'));
        settledDoubts = known;
        fault = null;
      }
    } catch (error) {
      if (error instanceof NoOwnSessionError) fault = error;
      failedAt = performance.now();
    } finally {
      proving = null;
    }
    if (fault !== null) throw fault;
  }

  return {
    endConnection() {
      doubt();
      connections.forgetAll();
    },
    doubt,
    settled() {
      if (doubts === settledDoubts) return null;
      if (proving === null && performance.now() - failedAt < PAUSE_MILLIS) {
        return fault === null ? null : Promise.reject(fault);
      }
      proving ??= proveAgain();
      return proving;
    },
    meet: connections.meet,
  };
}

type Work = (transaction: TransactionSql) => unknown;

/** SQLSTATE of a division by zero. */
const DIVISION_BY_ZERO = '22012';

/**
 * Holds back the statements of a client while its sessions are in doubt. The first transaction of a connection also
 * proves its settings, in the packet of its first statement, because the driver may make a new connection unnoticed. If
 * they differ, PostgreSQL aborts the transaction, so that nothing of it can be committed. Settings belong to a session,
 * so later transactions of a direct connection need no proof.
 *
 * @param reliedOn the settings in the format of PostgreSQL
 */
export function requireOwnSessions(client: Sql, watch: SessionWatch, reliedOn: ReliedOn): Sql {
  const { begin, unsafe } = client;
  const proof = settingsProof(reliedOn);
  let onBegun: ((result: { readonly state: ConnectionState }) => void) | null = null;

  client.unsafe = ((...given: Parameters<Sql['unsafe']>) => {
    if (onBegun !== null) {
      // The driver's own BEGIN. It has waited in `begin`.
      const beginning = unsafe(...given);
      beginning.then(onBegun, () => {});
      return beginning;
    }
    const settling = watch.settled();
    return settling === null ? unsafe(...given) : sentLater(settling, () => unsafe(...given));
  }) as Sql['unsafe'];

  const proving = (work: Work, connection: () => MetConnection) => async (transaction: TransactionSql) => {
    const met = connection();
    if (met.isProved) return work(transaction);
    const { unsafe } = transaction;
    let proved: Promise<boolean> | null = null;
    function prove(): Promise<boolean> {
      transaction.unsafe = unsafe;
      proved ??= unsafe<{ pid: number }[]>(proof)
        .execute()
        .then(
          ([row]) => {
            if (row !== undefined) met.prove(row.pid);
            return true;
          },
          (error: { readonly code?: unknown }) => error.code !== DIVISION_BY_ZERO,
        );
      return proved;
    }
    transaction.unsafe = ((...given: Parameters<typeof unsafe>) => {
      // PostgreSQL accepts it only before the first query.
      if (!given[0].startsWith('set transaction ')) void prove();
      return unsafe(...given);
    }) as typeof unsafe;
    try {
      const result = await work(transaction);
      if (await prove()) return result;
    } catch (error) {
      if (await prove()) throw error;
    }
    watch.doubt();
    await watch.settled();
    throw new NoOwnSessionError('a connection has other settings than were asked for');
  };

  client.begin = (async (...given: [Work] | [string, Work]) => {
    await watch.settled();
    const [first, second] = given;
    let state: ConnectionState = null;
    const meet = () => watch.meet(state);
    // The driver sends BEGIN before `begin` returns, by `client.unsafe`. If it did not, no connection would be known.
    onBegun = (result) => {
      ({ state } = result);
    };
    try {
      return typeof first === 'string' ? begin(first, proving(second as Work, meet)) : begin(proving(first, meet));
    } finally {
      onBegun = null;
    }
  }) as Sql['begin'];
  return client;
}

/** The operations of drizzle on a statement: it awaits the statement, or its values. */
function sentLater(settling: Promise<void>, send: () => PendingQuery<Row[]>) {
  const sent = (read: (query: PendingQuery<Row[]>) => PromiseLike<unknown>) => settling.then(() => read(send()));
  return {
    // biome-ignore lint/suspicious/noThenProperty: it takes the place of a query of the driver
    then: ((taken, refused) => sent((query) => query).then(taken, refused)) as PromiseLike<unknown>['then'],
    values: () => sent((query) => query.values()),
  };
}

function settingsProof(reliedOn: ReliedOn): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const conditions = [...reliedOn].map(([name, value]) => `current_setting(${literal(name)}) = ${literal(value)}`);
  return `select 1 / (${conditions.join(' and ')})::int, pg_backend_pid() as pid`;
}
