import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { inArray, sql } from 'drizzle-orm/sql';
import {
  type AcknowledgedRows,
  type Acknowledgements,
  type AuditTables,
  CHAIN_START,
  type ChainHead,
  type CheckpointProof,
  chainName,
  type DrizzleDatabase,
  describeFailure,
  isRefusedCall,
  rowsOf,
} from '../chain/index.js';
import { type AuditGap, type Checkpoint, mergeGaps, readCheckpoint, subtractGaps } from '../notes/index.js';
import { divideMissing, lastSurvivor } from './lost-commits.js';

/** It changes when another server takes over. Null: not readable, such as on some clouds. */
export interface DatabaseIdentity {
  readonly systemIdentifier: string | null;
  /** Eight hexadecimal digits. */
  readonly timeline: string | null;
}

/** `deleted`: rows that were acknowledged later are still there, so that no failover or restart explains it. */
export type LossCause = 'deleted' | 'failover' | 'restart' | 'unknown';

/**
 * What happened to the database of the log.
 * - `failover`: another server took over, and it has the newest row that this process acknowledged.
 * - `rows-lost`: the database no longer has the rows of `gaps`, which this process had acknowledged. The `cause`:
 *   another server took over, PostgreSQL was started again, such as on a restored folder, or neither; or somebody
 *   deleted them (`deleted`). One look may find both, as two incidents.
 * - `loss-accepted`: an operator accepted that.
 */
export type AuditIncident =
  | { readonly kind: 'failover'; readonly before: DatabaseIdentity; readonly after: DatabaseIdentity }
  | { readonly kind: 'rows-lost'; readonly gaps: readonly AuditGap[]; readonly cause: LossCause }
  | { readonly kind: 'loss-accepted'; readonly gaps: readonly AuditGap[] };

export interface HistoryWatchOptions extends Pick<Required<AuditTables>, 'table' | 'heads' | 'signedHeads'> {
  readonly database: DrizzleDatabase;
  readonly acknowledgements: Pick<Acknowledgements, 'list' | 'drop'>;
  /** Null: there are no checkpoints. */
  readonly stateOf: CheckpointProof | null;
  readonly everySeconds: number;
  readonly timeoutMillis: number;
  readonly onIncident: (incident: AuditIncident) => void;
}

/** Whether the database still has what was acknowledged. */
export interface HistoryWatch {
  /** Looks now. Concurrent calls share one look. */
  look(): Promise<void>;
  /** Looks for every remembered commit, and not for the newest one alone. */
  doubt(): void;
  /** The same, and waits for the end of the look. */
  examine(): Promise<void>;
  /** Another number after each start of PostgreSQL, and when another server took over. */
  readonly run: number;
  /** Lost and not accepted: those that this process knows, and those that the newest checkpoint names. */
  readonly lost: readonly AuditGap[];
  /** Whether this row is lost, and a restart or failover explains it. */
  explainsLossOf(sequence: number): boolean;
  /** Lost, not accepted, and not deleted by somebody: checkpoints go on, and name them. */
  readonly named: readonly AuditGap[];
  /** Whether somebody deleted this row: it is missing, and later ones survived the last restart or failover. */
  isDeleted(sequence: number): boolean;
  /** Rows are missing, and no node names them as lost. */
  noteDeleted(gap: AuditGap): void;
  /** A checkpoint was left behind, since the database has lost its row. */
  leave(checkpoint: Checkpoint): void;
  /** An operator accepted the log. */
  accept(checkpoint: Checkpoint): void;
  close(): Promise<void>;
}

interface Found {
  readonly started: string;
  readonly isStandby: boolean;
  readonly cut: string | null;
  readonly mac: string | null;
  /** The end of the chain, of any node. */
  readonly end: string | null;
  readonly endMac: string | null;
  readonly note: string | null;
}

/**
 * Looks for the newest acknowledged row at an interval, before each checkpoint, and when the head of the chain is not
 * where it was left. The start time of PostgreSQL says that it is another process: a restart, a restored folder, or
 * another server. Then every remembered commit is looked for. Each look is one statement.
 */
export function createHistoryWatch(options: HistoryWatchOptions): HistoryWatch {
  const { database, table, heads, signedHeads, acknowledgements, stateOf, everySeconds, onIncident } = options;
  const name = chainName(table);
  const ask = createBoundedCall({ timeoutMillis: options.timeoutMillis, maxUnsettled: 1, toError: describeFailure });
  let started: string | null = null;
  let identity: DatabaseIdentity = { systemIdentifier: null, timeline: null };
  let run = 0;
  /** Since the first doubt that no look has settled. `after`: the last commit before it. */
  let doubted: { readonly after: AcknowledgedRows | null } | null = null;
  /** The end of the chain at the newest look. */
  let seen: ChainHead = CHAIN_START;
  /** The last row that is known to have survived the newest restart or failover. */
  let survivor = 0;
  /** What this process knows to be lost. */
  let own: readonly AuditGap[] = [];
  /** Those of them that somebody deleted. */
  let deleted: readonly AuditGap[] = [];
  let explained: readonly AuditGap[] = [];
  /** What the newest checkpoint names. */
  let shared: readonly AuditGap[] = [];
  /** An acceptance is later than the newest checkpoint that was known at the loss: an old one does not count. */
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
      // It may still receive rows, and nobody can write there. Once it takes over, it is another run.
      if (found.isStandby) {
        doubted = doubt ?? doubted;
        return;
      }
      const before = identity;
      const isOtherRun = started !== null && found.started !== started;
      const after = found.started === started ? identity : await ask(readIdentity);
      const isFailover = isOtherRun && isOther(before, after);
      noteStored(found.note);
      const cut = Number(found.cut ?? 0);
      const isHeld = last === null || cut >= last.sequence || found.mac === last.mac;
      const isWhole = !isHeld || isOtherRun || doubt !== null;
      const macs = isWhole ? await readMacs([...commits.map(({ sequence }) => sequence), seen.sequence]) : null;
      const isMissing = ({ sequence, mac }: ChainHead) => sequence > cut && macs?.get(sequence) !== mac;
      const missing = macs === null ? [] : commits.filter(isMissing);
      // Rows of other nodes are evidence, too: sequences are in the order of the commits.
      const oldEnd = macs === null || isMissing(seen) ? 0 : seen.sequence;
      // Only now: a look that fails halfway is made again, and still knows that the run is another.
      started = found.started;
      identity = after;
      // After a loss, the next commit of this process raises a doubt first: those before it are older than the loss.
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
        (select "cut" ->> 'sequence' from ${heads} where "chain" = ${name}) as "cut",
        (select "mac" from ${table} where "sequence" = ${sequence}::bigint) as "mac",
        (select "sequence"::text from ${heads} where "chain" = ${name}) as "end",
        (select "mac" from ${heads} where "chain" = ${name}) as "endMac",
        ${note} as "note"
    `);
    return rowsOf<Found>(result)[0] as Found;
  }

  /** Every role may call these functions by default. Where it may not, the start time alone says that it is another. */
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

  /** The newest checkpoint of any node. Database users can write there: it is verified. */
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
    const left = own.flatMap((gap) => subtractGaps(gap, settled));
    const accepted = own.flatMap((gap) => subtractGaps(gap, left));
    own = left;
    explained = explained.flatMap((gap) => subtractGaps(gap, accepted));
    deleted = deleted.flatMap((gap) => subtractGaps(gap, accepted));
    // Also what this process did not know.
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
    explainsLossOf: (sequence) => contains(explained, sequence),
    get named() {
      return mergeGaps([...own.flatMap((gap) => subtractGaps(gap, deleted)), ...shared]);
    },
    isDeleted: (sequence) => sequence < survivor || contains(deleted, sequence),
    noteDeleted(gap) {
      const news = subtractGaps(gap, own);
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

function contains(gaps: readonly AuditGap[], sequence: number): boolean {
  return gaps.some(({ from, to }) => from <= sequence && sequence <= to);
}
