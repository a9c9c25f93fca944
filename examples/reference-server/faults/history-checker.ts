import { type Attempt, type History, isDefinite } from './history.js';

/** The contents of the tables once the service is idle. */
export interface Tables {
  /** The rows of payments, or of stored files. */
  readonly payments: readonly PaymentRow[];
  /** The audit log; null if this server keeps none. */
  readonly audit: AuditLog | null;
}

export interface AuditLog {
  /** Ids of the payments whose creation is recorded, one per record. */
  readonly created: readonly string[];
  /** Ids of records still not in the chain after the timeout. */
  readonly waiting: readonly string[];
  /** Errors in the chain. */
  readonly faults: readonly string[];
}

export interface PaymentRow {
  readonly id: string;
  /** The idempotency key of the request: the harness writes it into the payee. */
  readonly key: string;
}

export type ViolationKind =
  /** A key took effect twice. */
  | 'row-twice'
  /** A write was acknowledged, but there is no row. */
  | 'acknowledged-without-row'
  /** The client got the id of another row, or two ids. */
  | 'acknowledged-other-row'
  /** More than one attempt with a key was acknowledged as the one that ran. */
  | 'acknowledged-twice'
  | 'acknowledged-without-audit-record'
  /** A creation is recorded twice. */
  | 'audit-record-twice'
  /** A change of business state without an audit record that says success or unknown. */
  | 'change-without-record'
  /** A record says success, and nothing was changed. */
  | 'success-without-change'
  /** An operation of the server that writes, and that the load does not know. */
  | 'operation-not-tried'
  /** An acknowledged upload whose content can't be read, or differs. */
  | 'content-lost'
  /** A record that was committed with its row is not in the chain. */
  | 'audit-record-waits'
  /** A success record of the audit log and a row differ. */
  | 'row-differs'
  /** The audit log's chain does not verify. */
  | 'audit-log-broken'
  /** A row that no client requested. */
  | 'row-of-nobody'
  /** A valid write was permanently refused. */
  | 'refused'
  /** The outcome is reported as unknown although the store knows it. */
  | 'unknown-outcome'
  | 'no-definite-answer'
  /** The definite answer came after the limit. */
  | 'late-answer'
  /** A text message was queued and never sent, sent more than twice, or sent after its code expired. */
  | 'message-lost'
  | 'message-sent-thrice'
  | 'message-sent-late'
  /** A code was accepted twice, or one that was sent was refused. */
  | 'used-code-accepted'
  | 'sent-code-refused'
  /** A start that had to be refused, with the setting's name, was not (REL-15). */
  | 'start-not-refused'
  /** After a fault, the pool of a node does not have the clients that it had before (REL-15). */
  | 'pool-not-restored'
  /** A server process ended although nobody stopped it. */
  | 'node-ended'
  /** A graceful stop exceeded its limit. */
  | 'late-exit'
  /** A request left a client in the clear, by its setting or after a sealed one (ENV-9). */
  | 'sent-in-the-clear'
  /** A request was sealed for a key that is not trusted. */
  | 'read-by-attacker'
  /** A forged answer reached the application as data. */
  | 'forgery-believed'
  /** A client is not served after an attack. */
  | 'shut-out'
  /** A request succeeded although a required check could not be made. */
  | 'let-through'
  /** A valid request was refused for a reason other than an unavailable check. */
  | 'wrong-refusal'
  /** A refusal came after the limit. */
  | 'late-refusal'
  /** The service recovered after the limit. */
  | 'late-recovery'
  /** A single-use operation took effect more than once, or not at all. */
  | 'effect-twice'
  | 'effect-never'
  /** An envelope was accepted again. */
  | 'replay-accepted'
  /** A replay that was refused before the replay guard saw it, which proves nothing of the guard. */
  | 'replay-not-judged'
  /** A session that was ended answers (TOK-15). */
  | 'ended-session-lives'
  /** A request of an ended session was refused, and the audit log has no record of that, or another one (TOK-13). */
  | 'refusal-without-record'
  /** A session that the store has is refused. */
  | 'session-lost'
  /** Memory or descriptors did not return to their level, or response times grew. */
  | 'growth'
  /** Connections that should be closed are open. */
  | 'left-open'
  /** An attacker reached more than the requirements allow. */
  | 'bound-exceeded'
  /** Others' doing refused somebody who has the right to sign in. */
  | 'owner-refused';

export interface Violation {
  readonly kind: ViolationKind;
  /** The idempotency key, or another name of what is affected. */
  readonly key: string;
  readonly detail: string;
}

export interface Rules {
  /** The limit from the first request with a key to its first definite answer, in milliseconds. */
  readonly definiteWithinMillis: number;
  /** Whether the outcome may be unknown. A store that does not commit with the handler's rows needs this. */
  readonly mayBeUnknown: boolean;
}

/** Compares the clients' answers with the tables. */
export function checkHistory(history: History, tables: Tables, rules: Rules): Violation[] {
  const rowsByKey = new Map<string, string[]>();
  for (const { id, key } of tables.payments) rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), id]);
  const created = tables.audit === null ? null : countOf(tables.audit.created);
  const violations: Violation[] = checkAuditLog(tables.audit);
  for (const key of history.keys()) {
    const rows = rowsByKey.get(key) ?? [];
    rowsByKey.delete(key);
    for (const [kind, detail] of [
      ...checkRows(history.attempts(key), rows, created),
      ...checkAnswers(history.attempts(key), rules),
    ]) {
      violations.push({ kind, key, detail });
    }
  }
  for (const [key, rows] of rowsByKey)
    violations.push({ kind: 'row-of-nobody', key, detail: `rows ${rows.join(', ')}` });
  return violations;
}

type Finding = readonly [ViolationKind, string];

function countOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function checkAuditLog(audit: Tables['audit']): Violation[] {
  if (audit === null) return [];
  return [
    ...audit.waiting.map((key) => ({ kind: 'audit-record-waits', key, detail: 'nobody chained it' }) as const),
    ...audit.faults.map((detail) => ({ kind: 'audit-log-broken', key: 'audit log', detail }) as const),
  ];
}

function checkRows(
  attempts: readonly Attempt[],
  rows: readonly string[],
  created: ReadonlyMap<string, number> | null,
): Finding[] {
  const findings: Finding[] = [];
  const given = attempts.flatMap(({ told }) => (told.kind === 'acknowledged' ? [told.paymentId] : []));
  const isTold = given.length > 0 || attempts.some(({ told }) => told.kind === 'submitted');

  if (rows.length > 1) findings.push(['row-twice', `rows ${rows.join(', ')}`]);
  if (given.length > 1) findings.push(['acknowledged-twice', `told ${given.join(', ')}`]);
  if (isTold && rows.length === 0)
    findings.push(['acknowledged-without-row', `told ${given.join(', ') || 'submitted'}`]);
  for (const id of given) {
    if (rows.length > 0 && !rows.includes(id)) findings.push(['acknowledged-other-row', `told ${id}, row ${rows[0]}`]);
  }
  for (const id of created === null ? [] : rows) {
    const records = created?.get(id) ?? 0;
    if (isTold && records === 0) findings.push(['acknowledged-without-audit-record', `row ${id}`]);
    if (records > 1) findings.push(['audit-record-twice', `row ${id}, ${records} records`]);
  }
  return findings;
}

function checkAnswers(attempts: readonly Attempt[], { definiteWithinMillis, mayBeUnknown }: Rules): Finding[] {
  const findings: Finding[] = [];
  for (const { told } of attempts) {
    if (told.kind === 'refused') findings.push(['refused', `${told.status} ${told.code}`]);
  }
  if (!mayBeUnknown && attempts.some(({ told }) => told.kind === 'unknown')) findings.push(['unknown-outcome', '']);
  const definite = attempts.filter(({ told }) => isDefinite(told));
  if (definite.length === 0) findings.push(['no-definite-answer', `${attempts.length} attempts`]);
  else {
    const tookMillis = earliest(definite, 'toldAt') - earliest(attempts, 'sentAt');
    if (tookMillis > definiteWithinMillis) findings.push(['late-answer', `after ${Math.round(tookMillis)} ms`]);
  }
  return findings;
}

function earliest(attempts: readonly Attempt[], field: 'sentAt' | 'toldAt'): number {
  return Math.min(...attempts.map((attempt) => attempt[field]));
}
