import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { inArray, sql } from 'drizzle-orm/sql';
import {
  type AcknowledgedRows,
  type Acknowledgements,
  type AuditTables,
  CHAIN_START,
  type ChainHead,
  chainName,
  type DrizzleDatabase,
  describeFailure,
  isRefusedCall,
  rowsOf,
} from '../chain/index.js';
import {
  type AuditGap,
  type Checkpoint,
  type CheckpointProof,
  hasRow,
  mergeGaps,
  readCheckpoint,
  subtractGaps,
} from '../notes/index.js';
import { divideMissing, lastDeleted, lastSurvivor } from './lost-commits.js';

/** The timeline, which changes when another server takes over. Null if it is not readable, as on some clouds. */
export interface DatabaseIdentity {
  readonly systemIdentifier: string | null;
  /** Eight hexadecimal digits. */
  readonly timeline: string | null;
}

/** `deleted`: rows that were acknowledged later still exist, so no failover or restart explains the loss. */
export type LossCause = 'deleted' | 'failover' | 'restart' | 'unknown';

/**
 * An incident of the log's database.
 * - `failover`: another server took over, and it has the newest row that this process acknowledged.
 * - `rows-lost`: the database no longer has the rows of `gaps`, which this process had acknowledged. The `cause`:
 *   another server took over, PostgreSQL was started again, such as on a restored folder, or neither; or the rows were
 *   deleted (`deleted`). One check may find both, as two incidents.
 * - `loss-accepted`: an operator accepted that.
 */
export type AuditIncident =
  | { readonly kind: 'failover'; readonly before: DatabaseIdentity; readonly after: DatabaseIdentity }
  | { readonly kind: 'rows-lost'; readonly gaps: readonly AuditGap[]; readonly cause: LossCause }
  | { readonly kind: 'loss-accepted'; readonly gaps: readonly AuditGap[] };

export interface HistoryWatchOptions extends Pick<Required<AuditTables>, 'table' | 'heads' | 'signedHeads'> {
  readonly database: DrizzleDatabase;
  readonly acknowledgements: Pick<Acknowledgements, 'list' | 'drop'>;
  /** Null if there are no checkpoints. */
  readonly stateOf: CheckpointProof | null;
  readonly everySeconds: number;
  readonly timeoutMillis: number;
  readonly onIncident: (incident: AuditIncident) => void;
}

/** Checks whether the database still has the acknowledged rows. */
export interface HistoryWatch {
  /** Checks now. Concurrent calls share one check. */
  look(): Promise<void>;
  /** Checks every remembered commit, not only the newest one. */
  doubt(): void;
  /** Like `doubt`, but waits for the end of the check. */
  examine(): Promise<void>;
  /** A number that changes with each start of PostgreSQL, and when another server takes over. */
  readonly run: number;
  /** Lost rows that were not accepted: those that this process knows, and those that the newest checkpoint names. */
  readonly lost: readonly AuditGap[];
  /** Whether this row is lost and a restart or failover explains it. */
  explainsLossOf(sequence: number): boolean;
  /** Lost rows that were neither accepted nor deleted. Checkpoints continue, and name them. */
  readonly named: readonly AuditGap[];
  /** Whether this row was deleted: it is missing, and later ones survived the last restart or failover. */
  isDeleted(sequence: number): boolean;
  /** Reports that rows are missing and that no node names them as lost. */
  noteDeleted(gap: AuditGap): void;
  /** Reports that a checkpoint was skipped because the database has lost its row. */
  leave(checkpoint: Checkpoint): void;
  /** Reports that an operator accepted the log. */
  accept(checkpoint: Checkpoint): void;
  close(): Promise<void>;
}

interface Found {
  readonly started: string;
  readonly isStandby: boolean;
  readonly cut: string | null;
  readonly mac: string | null;
  /** The end of the chain, written by any node. */
  readonly end: string | null;
  readonly endMac: string | null;
  readonly note: string | null;
}

/**
 * Checks for the newest acknowledged row at an interval, before each checkpoint, and when the head of the chain is not
 * where it was left. Another start time of PostgreSQL means another process: a restart, a restored folder, or another
 * server. In that case every remembered commit is checked. Each check is one statement.
 */
export function createHistoryWatch(options: HistoryWatchOptions): HistoryWatch {
  const { database, table, heads, signedHeads, acknowledgements, stateOf, everySeconds, onIncident } = options;
  const name = chainName(table);
  const ask = createBoundedCall({ timeoutMillis: options.timeoutMillis, maxUnsettled: 1, toError: describeFailure });
  let started: string | null = null;
  let identity: DatabaseIdentity = { systemIdentifier: null, timeline: null };
  let run = 0;
  /** The first doubt that no check has settled. `after`: the last commit before it. */
  let doubted: { readonly after: AcknowledgedRows | null } | null = null;
  /** The end of the chain at the newest check. */
  let seen: ChainHead = CHAIN_START;
  /** The last row that certainly survived the newest restart or failover. */
  let survivor = 0;
  /** The rows that this process knows to be lost. */
  let own: readonly AuditGap[] = [];
  /** The lost rows that were deleted. */
  let deleted: readonly AuditGap[] = [];
  let explained: readonly AuditGap[] = [];
  /** The lost rows that the newest checkpoint names. */
  let shared: readonly AuditGap[] = [];
  /** An acceptance counts only if it is later than the newest checkpoint that was known at the loss. */
  let newestAt = '';
  let lossAt = '';
  let running: Promise<void> | null = null;
  const timer = setInterval(() => void look().catch(() => {}), everySeconds * 1000).unref();

  function look(): Promise<void> {
    running ??= lookOnce().finally(() => {
      running = null;
    });
    return running;
  }

  async function lookOnce(): Promise<void> {
    const commits = acknowledgements.list();
    const last = commits.at(-1) ?? null;
    const doubt = doubted;
    doubted = null;
    try {
      const found = await ask(() => find(last?.sequence ?? 0));
      // A standby may still receive rows, and can't be written. When it takes over, it is another run.
      if (found.isStandby) {
        doubted = doubt ?? doubted;
        return;
      }
      const before = identity;
      const isOtherRun = started !== null && found.started !== started;
      const after = found.started === started ? identity : await ask(readIdentity);
      const isFailover = isOtherRun && isOther(before, after);
      noteStored(found.note);
      const cut = lastDeleted(found.cut, stateOf);
      const isHeld = last === null || cut >= last.sequence || found.mac === last.mac;
      const isWhole = !isHeld || isOtherRun || doubt !== null;
      const macs = isWhole ? await readMacs([...commits.map(({ sequence }) => sequence), seen.sequence]) : null;
      const isMissing = ({ sequence, mac }: ChainHead) => sequence > cut && macs?.get(sequence) !== mac;
      const missing = macs === null ? [] : commits.filter(isMissing);
      // Rows of other nodes are also evidence, because sequences are in the order of the commits.
      const oldEnd = macs === null || isMissing(seen) ? 0 : seen.sequence;
      // This is set only now. A check that fails halfway is repeated, and still detects the other run.
      started = found.started;
      identity = after;
      // After a loss, the next commit of this process raises a doubt first, so commits before it predate the loss.
      const ownEnd = lastSurvivor(commits, missing, doubt === null ? last : doubt.after);
      if (isOtherRun) {
        run += 1;
        survivor = oldEnd;
      }
      seen = { sequence: Number(found.end ?? 0), mac: found.endMac ?? '' };
      const divided = divideMissing(missing, Math.max(ownEnd, oldEnd));
      acknowledgements.drop(missing);
      if (divided.deleted.length > 0) lose(divided.deleted, 'deleted');
      if (divided.lost.length > 0) lose(divided.lost, isFailover ? 'failover' : isOtherRun ? 'restart' : 'unknown');
      else if (isFailover) onIncident({ kind: 'failover', before, after });
    } catch (error) {
      doubted = doubt ?? doubted;
      throw error;
    }
  }

  function raiseDoubt(): void {
    doubted ??= { after: acknowledgements.list().at(-1) ?? null };
  }

  async function find(sequence: number): Promise<Found> {
    const note = stateOf === null ? sql`null::text` : sql`(select "note" from ${signedHeads} where "chain" = ${name})`;
    const result = await database.execute(sql`
      select pg_postmaster_start_time()::text as "started", pg_is_in_recovery() as "isStandby",
        (select "cut"::text from ${heads} where "chain" = ${name}) as "cut",
        (select "mac" from ${table} where "sequence" = ${sequence}::bigint) as "mac",
        (select "sequence"::text from ${heads} where "chain" = ${name}) as "end",
        (select "mac" from ${heads} where "chain" = ${name}) as "endMac",
        ${note} as "note"
    `);
    return rowsOf<Found>(result)[0] as Found;
  }

  /** Every role may call these functions by default. If it may not, only the start time identifies the run. */
  async function readIdentity(): Promise<DatabaseIdentity> {
    const read = async (expression: string): Promise<string | null> => {
      try {
        const result = await database.execute(sql`select (${sql.raw(expression)})::text as "value"`);
        return rowsOf<{ readonly value: string | null }>(result)[0]?.value ?? null;
      } catch (error) {
        if (isRefusedCall(error)) return null;
        throw error;
      }
    };
    return {
      systemIdentifier: await read('select system_identifier from pg_control_system()'),
      timeline: await read('substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'),
    };
  }

  async function readMacs(sequences: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await ask(() =>
      database
        .select({ sequence: table.sequence, mac: table.mac })
        .from(table)
        .where(inArray(table.sequence, [...sequences])),
    );
    return new Map(rows.map(({ sequence, mac }) => [sequence, mac]));
  }

  function lose(gaps: readonly AuditGap[], cause: LossCause): void {
    own = mergeGaps([...own, ...gaps]);
    if (cause === 'deleted') deleted = mergeGaps([...deleted, ...gaps]);
    else if (cause !== 'unknown') explained = mergeGaps([...explained, ...gaps]);
    lossAt = newestAt;
    onIncident({ kind: 'rows-lost', gaps, cause });
  }

  /** The newest checkpoint of any node. It is verified, because database users can write there. */
  function noteStored(note: string | null): void {
    const stored = readCheckpoint(note);
    if (stored === null || stateOf === null || stateOf(stored) !== 'genuine') return;
    if (stored.kind === 'accepted') accept(stored);
    shared = stored.kind === 'progress' ? stored.gaps : [];
    if (stored.at > newestAt) newestAt = stored.at;
  }

  function accept({ at, gaps, since }: Checkpoint): void {
    if (at <= lossAt || own.length === 0) return;
    const settled = [...gaps, { from: (since ?? 0) + 1, to: Number.MAX_SAFE_INTEGER }];
    const left = subtractGaps(own, settled);
    const accepted = subtractGaps(own, left);
    own = left;
    explained = subtractGaps(explained, accepted);
    deleted = subtractGaps(deleted, accepted);
    // It may include rows that this process did not know.
    if (accepted.length > 0) onIncident({ kind: 'loss-accepted', gaps: mergeGaps([...accepted, ...gaps]) });
  }

  return {
    look,
    doubt() {
      raiseDoubt();
      void look().catch(() => {});
    },
    async examine() {
      await running?.catch(() => {});
      raiseDoubt();
      await look();
    },
    get run() {
      return run;
    },
    get lost() {
      return mergeGaps([...own, ...shared]);
    },
    explainsLossOf: (sequence) => hasRow(explained, sequence),
    get named() {
      return mergeGaps([...subtractGaps(own, deleted), ...shared]);
    },
    isDeleted: (sequence) => sequence < survivor || hasRow(deleted, sequence),
    noteDeleted(gap) {
      const news = subtractGaps([gap], own);
      if (news.length > 0) lose(news, 'deleted');
    },
    leave({ sequence, at }) {
      if (at > lossAt) lossAt = at;
      own = mergeGaps([...own, { from: sequence, to: sequence }]);
    },
    accept,
    async close() {
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}

function isOther(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  const differs = (before: string | null, after: string | null) =>
    before !== null && after !== null && before !== after;
  return differs(one.systemIdentifier, other.systemIdentifier) || differs(one.timeline, other.timeline);
}
