import { type Attempt, type History, isDefinite } from './history.js';

/** What the tables hold when the service has come to rest. */
export interface Tables {
  readonly payments: readonly PaymentRow[];
  /** What the audit log says; null: this server keeps none. */
  readonly audit: AuditLog | null;
}

export interface AuditLog {
  /** Ids of the payments whose creation it tells of, one for each record. */
  readonly created: readonly string[];
  /** Ids of the records that no node has chained, long after it should have. */
  readonly waiting: readonly string[];
  /** What is wrong with its chain. */
  readonly faults: readonly string[];
}

export interface PaymentRow {
  readonly id: string;
  /** The idempotency key that it was sent with: the harness writes it into the payee. */
  readonly key: string;
}

export type ViolationKind =
  /** A key ran twice without notice. */
  | 'row-twice'
  /** Acknowledged, but not done. */
  | 'acknowledged-without-row'
  /** The client was given the id of another row, or two ids. */
  | 'acknowledged-other-row'
  /** More than one attempt of a key was acknowledged as the one that ran. */
  | 'acknowledged-twice'
  | 'acknowledged-without-audit-record'
  /** One creation is recorded twice. */
  | 'audit-record-twice'
  /** A record that was committed with its row has no place in the chain. */
  | 'audit-record-waits'
  /** The chain of the audit log doesn't hold. */
  | 'audit-log-broken'
  /** A row that no client sent. */
  | 'row-of-nobody'
  /** A lawful write was refused for good. */
  | 'refused'
  /** The outcome is called unknown where the store knows it. */
  | 'unknown-outcome'
  | 'no-definite-answer'
  /** The definite answer came after the limit. */
  | 'late-answer'
  /** A text message that was queued and never sent, sent more than twice, or sent after its code expired. */
  | 'message-lost'
  | 'message-sent-thrice'
  | 'message-sent-late'
  /** A code that a newer one followed signed in; the newest one did not. */
  | 'old-code-accepted'
  | 'newest-code-refused'
  /** A server process ended that nobody stopped. */
  | 'node-ended'
  /** A graceful stop took longer than it may. */
  | 'late-exit'
  /** What has to be refused while a check can't be made was done. */
  | 'let-through'
  /** What is lawful was refused, and not because a check couldn't be made. */
  | 'wrong-refusal'
  /** A refusal that came after the limit. */
  | 'late-refusal'
  /** The service needed longer than it may to be itself again. */
  | 'late-recovery'
  /** Of what may take effect once, more did, or nothing. */
  | 'effect-twice'
  | 'effect-never'
  /** An envelope was accepted again. */
  | 'replay-accepted'
  /** Memory or descriptors that come back to no level, or times that grow. */
  | 'growth'
  /** Connections that were to be closed, and are open. */
  | 'left-open';

export interface Violation {
  readonly kind: ViolationKind;
  /** The idempotency key, or whatever it is about. */
  readonly key: string;
  readonly detail: string;
}

export interface Rules {
  /** From the first sending of a key to its first definite answer, in milliseconds. */
  readonly definiteWithinMillis: number;
  /** Whether the store may answer that the outcome is unknown: one that doesn't commit with the handler has to. */
  readonly mayBeUnknown: boolean;
}

/** Compares what clients were told with what the tables hold. */
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
