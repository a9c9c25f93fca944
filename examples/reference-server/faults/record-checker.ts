import type { Violation } from './history-checker.js';
import { type ChangeKind, changeKinds, type Links, type StateChange } from './state-changes.js';

/** A record of the audit log. */
export interface LogRecord {
  readonly id: string;
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly requestId: string | null;
  /** Other names of what it is about: a user name in the body, the owner of ended sessions. */
  readonly named: readonly string[];
  /** The beginning of the id of the one session that it ends, where it ends one. */
  readonly sessionStart: string | null;
}

/** An answer to one request of the load. */
export interface LoadAnswer {
  readonly operation: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** What became of one idempotency key. */
export interface KeyOutcome {
  readonly key: string;
  readonly operation: string;
  /** `done` for 2xx and `IDEMPOTENCY_SUBMITTED`; `none` where no answer was definite. */
  readonly told: 'done' | 'refused' | 'unknown' | 'none';
  readonly detail: string;
  /** From the first request, or from the end of the fault if that is later, in milliseconds. */
  readonly afterMillis: number;
}

/** What one cell observed: a fault, with changes of every kind. */
export interface Observed {
  readonly changes: readonly StateChange[];
  readonly links: Links;
  readonly records: readonly LogRecord[];
  readonly answers: readonly LoadAnswer[];
  readonly keys: readonly KeyOutcome[];
}

export interface KindCount {
  readonly kind: ChangeKind;
  readonly changes: number;
  readonly records: number;
  readonly without: number;
}

export interface RecordReport {
  readonly kinds: readonly KindCount[];
  /** Answers with 503, and those of them that have a record. The others changed nothing. */
  readonly unavailable: number;
  readonly unavailableRecorded: number;
  readonly violations: readonly Violation[];
}

/** Records that stand for more than one change: an ended account has several sessions. */
const SHARED: ReadonlySet<ChangeKind> = new Set(['session ended']);

/**
 * Actions whose success need not change what the harness watches: a message is sent later, by a worker, and a step-up
 * proves a session that goes on.
 */
const WITHOUT_CHANGE: ReadonlySet<string> = new Set(['sms-code.send', 'auth.second-factor']);

/** Actions whose success must have ended a session. */
const ENDING = ['auth.logout', 'session.revoke'];

/**
 * Compares each change of state with the audit log (REL-12). A change has a record of its own with the outcome success
 * or unknown: first the one that its transaction committed, else one with a fitting action and name. Each success has a
 * change.
 */
export function checkRecords(
  { changes, links, records, answers, keys }: Observed,
  definiteWithinMillis: number,
): RecordReport {
  const log = completed(records);
  const telling = log.filter(({ outcome }) => outcome === 'success' || outcome === 'unknown');
  const byId = new Map(telling.map((record) => [record.id, record]));
  const used = new Set<LogRecord>();
  const found = new Map<StateChange, LogRecord>();

  function take(change: StateChange, record: LogRecord): void {
    found.set(change, record);
    if (!SHARED.has(change.kind)) used.add(record);
  }

  for (const change of changes) {
    const ids = (change.txid !== null && links.get(change.txid)) || [];
    const record = ids.map((id) => byId.get(id)).find((one) => one && fits(change, one) && !used.has(one));
    if (record !== undefined) take(change, record);
  }
  // A success is taken before an unknown outcome, so that what remains of the successes has no change.
  const bySuccess = [...telling].sort((one, other) => one.outcome.localeCompare(other.outcome));
  const byAction = groupBy(bySuccess, ({ action }) => action);
  for (const change of changes.filter((one) => !found.has(one))) {
    const candidates = changeKinds[change.kind].flatMap((action) => byAction.get(action) ?? []);
    const record = candidates.find((one) => fits(change, one) && (SHARED.has(change.kind) || !used.has(one)));
    if (record !== undefined) take(change, record);
  }

  const violations: Violation[] = [];
  for (const change of changes) {
    if (!found.has(change)) {
      violations.push({
        kind: 'change-without-record',
        key: change.kind,
        detail: `${change.id} ${change.names[1] ?? ''}`,
      });
    }
  }
  const owned = new Set<string>(
    Object.entries(changeKinds).flatMap(([kind, actions]) => (SHARED.has(kind as ChangeKind) ? [] : actions)),
  );
  const ended = changes.filter(({ kind }) => kind === 'session ended');
  for (const record of log.filter(({ outcome }) => outcome === 'success')) {
    const { id, action, target } = record;
    const hasChange = ENDING.includes(action)
      ? ended.some((change) => fits(change, record))
      : !owned.has(action) || WITHOUT_CHANGE.has(action) || used.has(record);
    if (!hasChange) violations.push({ kind: 'success-without-change', key: action, detail: `record ${id}, ${target}` });
  }
  const byRequest = groupBy(log, ({ requestId }) => requestId);
  const unavailable = answers.filter(({ status }) => status === 503);
  return {
    kinds: (Object.keys(changeKinds) as ChangeKind[]).map((kind) => countOf(kind, changes, found)),
    unavailable: unavailable.length,
    unavailableRecorded: unavailable.filter(({ requestId }) => byRequest.has(requestId)).length,
    violations: [
      ...violations,
      ...answers.flatMap((answer) => checkAnswer(answer, byRequest.get(answer.requestId) ?? [])),
      ...keys.flatMap((key) => checkKey(key, definiteWithinMillis)),
    ],
  };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A begun record and its completion are one: the completion has version 8 in place of 7. */
function completed(records: readonly LogRecord[]): LogRecord[] {
  const at = 14;
  const begunOf = (id: string) => (id[at] === '8' ? `${id.slice(0, at)}7${id.slice(at + 1)}` : null);
  const finished = new Set(records.map(({ id }) => begunOf(id)));
  return records.filter(({ id }) => !finished.has(id));
}

/** Whether the record may tell of the change. A crash can leave a record without its target; then the actor decides. */
function fits({ kind, id, names }: StateChange, record: LogRecord): boolean {
  const { action, target, actor, named, sessionStart } = record;
  if (!(changeKinds[kind] as readonly string[]).includes(action)) return false;
  if (kind === 'session ended' && sessionStart !== null && action !== 'auth.login') return id.startsWith(sessionStart);
  if (target !== null && names.includes(target)) return true;
  if (named.some((name) => names.includes(name))) return true;
  return actor !== null && names.includes(actor) && (target === null || BY_ACTOR.includes(action));
}

/** Actions whose target is a name of something else, so that their actor shows whom they changed. */
const BY_ACTOR = ['auth.login', 'ticket.create'];

function countOf(kind: ChangeKind, changes: readonly StateChange[], found: ReadonlyMap<StateChange, LogRecord>) {
  const all = changes.filter((change) => change.kind === kind);
  const records = new Set(all.flatMap((change) => found.get(change) ?? [])).size;
  return { kind, changes: all.length, records, without: all.filter((change) => !found.has(change)).length };
}

function checkAnswer({ operation, status, requestId }: LoadAnswer, records: readonly LogRecord[]): Violation[] {
  const isDone = status >= 200 && status < 300;
  if (!isDone || records.some(({ outcome }) => outcome === 'success')) return [];
  const told = records.map(({ outcome }) => outcome).join(', ') || 'no record';
  return [{ kind: 'acknowledged-without-audit-record', key: operation, detail: `request ${requestId}: ${told}` }];
}

function checkKey(
  { key, operation, told, detail, afterMillis }: KeyOutcome,
  definiteWithinMillis: number,
): Violation[] {
  const name = `${operation} ${key}`;
  if (told === 'none') return [{ kind: 'no-definite-answer', key: name, detail }];
  if (told === 'refused') return [{ kind: 'refused', key: name, detail }];
  if (told === 'unknown') return [{ kind: 'unknown-outcome', key: name, detail }];
  if (afterMillis <= definiteWithinMillis) return [];
  return [{ kind: 'late-answer', key: name, detail: `after ${Math.round(afterMillis)} ms` }];
}
