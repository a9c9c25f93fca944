import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type HeldAnswer, type HeldRequest, holdRequest } from '../../../scripts/held-request.js';
import { callFor } from './api-client.js';
import { type HeldOperation, heldOperations } from './held-operations.js';
import type { Violation } from './history-checker.js';
import { inParallel } from './in-parallel.js';
import type { Finding } from './observed-run.js';
import type { SharedFleet } from './scenarios/shared-fleet.js';
import { readServiceKey, type ServiceKey } from './sealed-copy.js';
import { endings } from './session-cast.js';
import { signedIn } from './writing-operations.js';

/** What ends a thief's session, or takes his permission away. Null: nothing, and everything is done. */
export type HeldWay = keyof typeof endings | 'loss of roles' | null;

export const heldWays: readonly HeldWay[] = [
  null,
  ...(Object.keys(endings) as (keyof typeof endings)[]),
  'loss of roles',
];

/** Where a request stands while the session ends. */
export type HeldAt = 'body' | 'commit';

/** Bytes of the body that a thief sends at once. */
const FIRST_BYTES = 3;

/** How long a node has to judge a head, and its client to hear of it, in milliseconds. */
const HEAD_MILLIS = 400;

/** An end never waits for a change that is held (TOK-13), in milliseconds. */
const END_WITHIN_MILLIS = 2000;

export interface HeldRun {
  readonly shared: SharedFleet;
  readonly databaseUrl: string;
  readonly store: string;
  readonly at: HeldAt;
  readonly way: HeldWay;
  /** Whether the node that answered the end is killed before the requests go on. */
  readonly isKilled: boolean;
  /** Whether the time of an end counts. Default true. */
  readonly isTimed?: boolean;
}

interface Thief {
  readonly operation: string;
  /** Of the row that its request makes. */
  readonly name: string;
  readonly id: string;
  readonly token: string;
  readonly key: ServiceKey;
}

interface Judged {
  readonly thief: Pick<Thief, 'operation' | 'name'>;
  readonly answer: HeldAnswer;
  readonly made: number;
  readonly records: readonly AuditRow[];
}

interface AuditRow {
  readonly outcome: string;
  readonly reason: string | null;
}

/** Holds requests at the first node, ends their sessions at the other one, and lets them go on. */
export async function observeHeld(run: HeldRun): Promise<Finding> {
  const { shared, at, way, isKilled } = run;
  const sql = postgres(run.databaseUrl, { max: 3, fetch_types: false, onnotice: () => {} });
  try {
    // Only payments are held at their commit: a lock of the other tables would hold some of the ends, too.
    const operations = at === 'commit' ? ['payment'] : Object.keys(heldOperations);
    const thieves = await inParallel(operations, (operation) => openThief(shared, operation));
    let endMillis = 0;
    const endAll = async () => {
      const times = await Promise.all(thieves.map((thief) => end(shared, way, thief)));
      endMillis = Math.round(Math.max(...times));
      if (isKilled) await shared.fleet.nodes[1]!.kill();
    };
    const hold = at === 'commit' ? holdCommits : holdBodies;
    const { answers, early } = await hold(shared, thieves, sql, endAll);
    if (isKilled) await shared.fleet.nodes[1]!.start();
    const judged: Judged[] = [];
    for (const [index, thief] of thieves.entries()) {
      const answer = answers[index]!;
      const made = await heldOperations[thief.operation]!.countMade(sql, thief.name);
      judged.push({ thief, answer, made, records: await recordsOf(sql, requestIdOf(answer)) });
    }
    const violations = judged.flatMap((one) => faultsOf(one, way));
    if (endMillis > END_WITHIN_MILLIS && run.isTimed !== false) {
      violations.push({ kind: 'late-refusal', key: `end by ${way}`, detail: `${endMillis} ms` });
    }
    return findingOf(run, { judged, early, endMillis, violations });
  } finally {
    await sql.end();
  }
}

async function openThief({ origins, token }: SharedFleet, operation: string): Promise<Thief> {
  const victim = await signedIn({ origin: origins[0], token }, ['*']);
  return { operation, name: `held-${randomUUID()}`, key: await readServiceKey(origins[0]), ...victim };
}

/** Resolves to the milliseconds until the end is acknowledged. */
async function end({ origins, token }: SharedFleet, way: HeldWay, { id, token: own }: Thief): Promise<number> {
  const began = performance.now();
  const ender = { origin: origins[1]!, token };
  const path = `/admin/administrators/${id}`;
  if (way === 'loss of roles') {
    await callFor(200, ender.origin, path, { method: 'PUT', token, body: { roleIds: [] } });
  } else if (way !== null) await endings[way](path, { token: own }, ender);
  return performance.now() - began;
}

type Hold = (
  shared: SharedFleet,
  thieves: readonly Thief[],
  sql: postgres.Sql,
  meanwhile: () => Promise<void>,
) => Promise<{ readonly answers: readonly HeldAnswer[]; readonly early: readonly string[] }>;

const requestOf = (thief: Thief) => (heldOperations[thief.operation] as HeldOperation).request(thief.name, thief);

const holdBodies: Hold = async ({ fleet }, thieves, _sql, meanwhile) => {
  const held = await inParallel(thieves, (thief) => {
    const request = requestOf(thief);
    return holdRequest(fleet.nodes[0]!.port, request, Buffer.byteLength(request.payload) - FIRST_BYTES);
  });
  await sleep(HEAD_MILLIS);
  await meanwhile();
  await sleep(HEAD_MILLIS);
  // The door refuses at once: a request that waits has passed it. So have uploads, which the end cuts off (TOK-14).
  const early = thieves.filter((_, index) => held[index]!.isAnswered()).map(({ operation }) => operation);
  return { early, answers: await Promise.all(held.map((request: HeldRequest) => request.release())) };
};

const holdCommits: Hold = async ({ fleet }, thieves, sql, meanwhile) => {
  const sent: Promise<HeldAnswer>[] = [];
  await sql.begin(async (transaction) => {
    await transaction`lock table payments in exclusive mode`;
    for (const thief of thieves) {
      const held = await holdRequest(fleet.nodes[0]!.port, requestOf(thief));
      sent.push(held.release());
    }
    for (let waiting = 0; waiting < thieves.length; await sleep(10)) {
      const rows = await sql`select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and not granted`;
      waiting = rows.length;
    }
    await meanwhile();
  });
  return { early: [], answers: await Promise.all(sent) };
};

const requestIdOf = ({ headers }: HeldAnswer) => /^x-request-id: (.*)$/m.exec(headers)?.[1] ?? '';

/** Null: the answer is sealed. */
function codeOf({ body, headers }: HeldAnswer): string | null {
  if (/^api-encryption:/m.test(headers)) return null;
  return body === '' ? '' : (JSON.parse(body).code ?? '');
}

const RECORD_WITHIN_MILLIS = 20_000;

async function recordsOf(sql: postgres.Sql, requestId: string): Promise<readonly AuditRow[]> {
  for (const deadline = performance.now() + RECORD_WITHIN_MILLIS; ; await sleep(100)) {
    const rows = await sql<AuditRow[]>`
      select outcome, reason from audit_records where extra ->> 'requestId' = ${requestId}`;
    if (rows.length > 0 || performance.now() > deadline) return rows;
  }
}

/** What is wrong with the answer to a held request, with what it made, or with its records. */
export function faultsOf({ thief: { operation, name }, answer, made, records }: Judged, way: HeldWay): Violation[] {
  const code = codeOf(answer);
  const detail = `${operation}, ${way}: ${answer.status} ${code ?? 'sealed'}, ${made} rows, ${JSON.stringify(records)}`;
  if (way === null) return made === 1 && answer.status === 201 ? [] : [{ kind: 'wrong-refusal', key: name, detail }];
  const violations: Violation[] = [];
  const lawful = way === 'loss of roles' ? 403 : 401;
  if (made > 0 || answer.status !== lawful) violations.push({ kind: 'ended-session-lives', key: name, detail });
  const says = ({ outcome, reason }: AuditRow) => outcome === 'refused' && reason === (code ?? reason);
  if (records.length !== 1 || !records.every(says))
    violations.push({ kind: 'refusal-without-record', key: name, detail });
  return violations;
}

interface Outcome {
  readonly judged: readonly Judged[];
  /** Operations that were answered before the rest was sent. */
  readonly early: readonly string[];
  readonly endMillis: number;
  readonly violations: readonly Violation[];
}

function findingOf({ store, at, way, isKilled }: HeldRun, { judged, early, endMillis, violations }: Outcome): Finding {
  const codes = new Map<string, number>();
  for (const { answer } of judged) {
    const told = `${answer.status} ${codeOf(answer) ?? 'sealed'}`.trim();
    codes.set(told, (codes.get(told) ?? 0) + 1);
  }
  return {
    ...{ scenario: 'TOK-13', store, times: isKilled ? 1 : 0, violations },
    fault: `${at} held, ${way ?? 'nothing ended'}${isKilled ? ', node killed' : ''}`,
    ...{ keys: judged.length, attempts: judged.length, submitted: 0, unknown: 0, slowestMillis: endMillis },
    acknowledged: judged.filter(({ answer }) => answer.status === 201).length,
    rows: judged.reduce((sum, { made }) => sum + made, 0),
    measured: [
      ...[...codes].map(([told, count]) => `${told} × ${count}`),
      `${judged.filter(({ records }) => records.some(({ outcome }) => outcome === 'refused')).length} recorded as refused`,
      ...(early.length > 0 ? [`before the rest was sent: ${early.join(', ')}`] : []),
    ].join(', '),
  };
}
