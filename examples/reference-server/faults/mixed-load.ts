import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, type ApiRequest, callApi } from './api-client.js';
import type { Violation } from './history-checker.js';
import { textForm } from './scenarios/shared-fleet.js';
import { type ServiceKey, sealBody, sealGet } from './sealed-copy.js';

export interface MixedLoadOptions {
  /** A server on which {@link mixedLoadAccounts} exist. */
  readonly origin: string;
  readonly token: string;
  readonly key: ServiceKey;
  /** The number of requests. */
  readonly count: number;
  /**
   * Requests started per second, whether or not earlier ones have been answered (open loop). Null: a fixed number of
   * concurrent requests, each sent after the previous answer.
   */
  readonly perSecond: number | null;
}

/** The number of concurrent requests where no rate is given. */
const CONCURRENCY = 4;

export interface MixedLoadReport {
  /** Response times in milliseconds, in the order of sending. */
  readonly times: readonly number[];
  /** Answers with an unexpected status. */
  readonly violations: readonly Violation[];
}

/** Sends requests of every kind, including ones to be refused, from many addresses. */
export async function sendMixedLoad({
  origin,
  token,
  key,
  count,
  perSecond,
}: MixedLoadOptions): Promise<MixedLoadReport> {
  const times: number[] = [];
  const violations: Violation[] = [];
  const began = performance.now();
  const byTurns = createTurns(mixedLoadAccounts);

  async function send(index: number): Promise<void> {
    const { name, act } = kinds[index % kinds.length]!;
    const outcomes = await act(
      (path, request = {}) => {
        const headers = { 'x-forwarded-for': someAddress(), ...request.headers };
        return callApi(origin, path, { ...request, headers });
      },
      { token, key, byTurns },
    );
    times[index] = Math.max(...outcomes.map(({ answer }) => answer.millis));
    for (const { answer, lawful } of outcomes) {
      const { status, code } = answer;
      if (status !== lawful)
        violations.push({ kind: 'wrong-refusal', key: name, detail: `${status} ${code}, not ${lawful}` });
    }
  }

  async function sendPaced(rate: number): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      const waitMillis = began + (index * 1000) / rate - performance.now();
      if (waitMillis > 0) await sleep(waitMillis);
      sent.push(send(index));
    }
    await Promise.all(sent);
  }

  async function sendSome(worker: number): Promise<void> {
    for (let index = worker; index < count; index += CONCURRENCY) await send(index);
  }

  if (perSecond !== null) await sendPaced(perSecond);
  else await Promise.all(Array.from({ length: CONCURRENCY }, (_, worker) => sendSome(worker)));
  return { times, violations };
}

type Call = (path: string, request?: ApiRequest) => Promise<ApiAnswer>;

interface Outcome {
  readonly answer: ApiAnswer;
  readonly lawful: number;
}

interface Kind {
  readonly name: string;
  act(call: Call, context: Context): Promise<Outcome[]>;
}

interface Context extends Pick<MixedLoadOptions, 'token' | 'key'> {
  readonly byTurns: Turns<MixedLoadAccount>;
}

type MixedLoadAccount = (typeof mixedLoadAccounts)[number];

const PASSWORD = 'f'.repeat(64);

/**
 * Accounts that sign in and out repeatedly. The number of sessions per subject is limited, so these sign-ins must not
 * use the account that the other requests use.
 */
export const mixedLoadAccounts = Array.from({ length: 32 }, (_, index) => ({
  username: `mixed-load-${index}`,
  password: PASSWORD,
  displayName: `Mixed load ${index}`,
}));

const one = async (lawful: number, answer: Promise<ApiAnswer>): Promise<Outcome[]> => [
  { lawful, answer: await answer },
];

const kinds: readonly Kind[] = [
  { name: 'read', act: (call, { token }) => one(200, call('/admin/profile', { token })) },
  {
    name: 'sealed read',
    act(call, { token, key }) {
      const { path, request } = sealGet(key, '/admin/profile', token, Date.now());
      return one(200, call(path, request));
    },
  },
  {
    name: 'sealed write',
    act(call, { token, key }) {
      const body = { displayName: 'Administrator' };
      const { path, request } = sealBody(key, '/admin/profile', { method: 'PUT', token, timestamp: Date.now(), body });
      return one(200, call(path, request));
    },
  },
  {
    name: 'payment',
    act(call, { token }) {
      const headers = { 'idempotency-key': randomUUID() };
      return one(201, call('/admin/payments', { token, headers, body: { payee: 'mixed load', amount: '1.00' } }));
    },
  },
  { name: 'list', act: (call, { token }) => one(200, call('/admin/payments?size=20', { token })) },
  {
    name: 'sign-in and sign-out',
    act: (call, { byTurns }) =>
      byTurns(async ({ username, password }) => {
        const answer = await call('/admin/auth/login', { body: { username, password, terminal: 'web' } });
        if (answer.status !== 200) return [{ answer, lawful: 200 }];
        const token = String(answer.data.token);
        const left = await call('/auth/logout', { method: 'POST', token });
        return [
          { answer, lawful: 200 },
          { answer: left, lawful: 204 },
        ];
      }),
  },
  {
    name: 'wrong password',
    act: (call) =>
      one(401, call('/admin/auth/login', { body: { username: randomUUID(), password: PASSWORD, terminal: 'web' } })),
  },
  { name: 'forged token', act: (call) => one(401, call('/admin/profile', { token: 'e30.e30.e30' })) },
  { name: 'unknown path', act: (call, { token }) => one(404, call(`/admin/${randomUUID()}`, { token })) },
  {
    name: 'wrong body',
    act: (call, { token }) => one(400, call('/admin/profile', { method: 'PUT', token, body: { displayName: 7 } })),
  },
  { name: 'captcha', act: (call) => one(200, call('/admin/auth/captcha')) },
  { name: 'public parameters', act: (call) => one(200, call('/public/system-parameters')) },
  { name: 'public key', act: (call) => one(200, call('/encryption/public-key')) },
  { name: 'health', act: (call) => one(200, call('/actuator/health')) },
  { name: 'audit', act: (call, { token }) => one(200, call('/admin/audit-records?size=20', { token })) },
  {
    name: 'upload, download and delete',
    async act(call, { token }) {
      const stored = await call('/admin/storage/files', { token, body: textForm(2000) });
      if (stored.status !== 201) return [{ answer: stored, lawful: 201 }];
      const path = `/admin/storage/files/${stored.data.id}`;
      const read = await call(`${path}/content`, { token });
      const removed = await call(path, { method: 'DELETE', token });
      return [
        { answer: stored, lawful: 201 },
        { answer: read, lawful: 200 },
        { answer: removed, lawful: 204 },
      ];
    },
  },
];

/** Runs work for each subject in turn, one task per subject at a time. */
type Turns<Subject> = <Result>(work: (subject: Subject) => Promise<Result>) => Promise<Result>;

/**
 * Concurrent sign-ins of one subject would end each other's sessions, and each counts as a guess until its password is
 * checked.
 */
function createTurns<Subject>(subjects: readonly Subject[]): Turns<Subject> {
  const before: Promise<unknown>[] = subjects.map(() => Promise.resolve());
  let next = 0;
  return function takeTurn(work) {
    const index = next;
    next = (next + 1) % subjects.length;
    const mine = before[index]!.then(() => work(subjects[index]!));
    before[index] = mine.catch(() => {});
    return mine;
  };
}

/** Returns one of 1024 client addresses. */
function someAddress(): string {
  return `10.0.${randomInt(4)}.${randomInt(256)}`;
}
