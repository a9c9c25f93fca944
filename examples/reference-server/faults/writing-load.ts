import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, callApi, callFor } from './api-client.js';
import type { Violation } from './history-checker.js';
import type { KeyOutcome, LoadAnswer } from './record-checker.js';
import {
  type LoadContext,
  type PreparedRequest,
  type WritingOperation,
  writingOperations,
} from './writing-operations.js';

/** Requests under way at a time. */
const CONCURRENCY = 8;

/** How long a burst is processed at most before the fault begins, in milliseconds. */
const BURST_MILLIS = 120;

/** The client's timeout of one attempt, in milliseconds. */
const PATIENCE_MILLIS = 6000;

/** Of the fixtures of one request. */
const MAX_ATTEMPTS = 20;

interface Prepared extends PreparedRequest {
  readonly operation: string;
  /** Null: it is sent once. */
  readonly key: string | null;
}

export interface WritingLoad {
  /**
   * Sends every prepared request in random order: some in bursts where the fault asks for one, some spread over it, the
   * rest after it. Resolves when each has been answered, and each key has a definite answer or was given up.
   *
   * @param inject resolves when the fault is over
   */
  send(inject: (burst: Burst) => Promise<unknown>, plan: LoadPlan): Promise<void>;
  readonly answers: readonly LoadAnswer[];
  readonly keys: readonly KeyOutcome[];
  /** The acknowledged uploads. */
  readonly uploads: readonly { readonly id: string; readonly sha256: string }[];
}

/** Sends requests at once, and resolves at some moment while they are processed. */
export type Burst = () => Promise<void>;

/** How the requests are spread over the fault. */
export interface LoadPlan {
  readonly lastsMillis: number;
  /** How many bursts the fault asks for. */
  readonly bursts: number;
}

export interface WritingLoadOptions {
  readonly origins: readonly string[];
  readonly context: LoadContext;
  /** Requests of each operation. */
  readonly each: number;
  /** Clients give up on a key after this time, in milliseconds. */
  readonly giveUpMillis: number;
}

/** Answers the time. It has no record, as the public key has none. */
const WRITES_NOTHING = new Set(['POST /encryption/time']);

/** The operations of a running server that may write, such as `POST /admin/roles`, from its API documentation. */
export async function readWritingOperations(origin: string): Promise<string[]> {
  const { paths } = (await callFor(200, origin, '/api-docs/json')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .map((operation) => operation.replaceAll(/\{(\w+)\}/g, ':$1'))
    .filter((operation) => !/^(?:GET|HEAD) /.test(operation));
}

/** The operations that no load tries: the next route can't escape. */
export function untriedOperations(written: readonly string[]): Violation[] {
  const untried = written.filter((operation) => !(operation in writingOperations) && !WRITES_NOTHING.has(operation));
  return untried.map((operation) => ({ kind: 'operation-not-tried', key: operation, detail: 'unknown to the load' }));
}

/** Prepares requests of every operation that the server has. */
export async function prepareWritingLoad({
  origins,
  context,
  each,
  giveUpMillis,
}: WritingLoadOptions): Promise<WritingLoad> {
  const known = new Set(await readWritingOperations(context.origin));
  const operations = Object.entries(writingOperations).filter(([operation]) => known.has(operation));
  const jobs = operations.flatMap((entry) => Array.from({ length: each }, () => entry));
  const prepared: Prepared[] = [];
  await inTurns(jobs, async ([operation, { prepare, hasKey = false }]: [string, WritingOperation]) => {
    const request = await tryAgain(() => prepare(context));
    if (request !== null) prepared.push({ ...request, operation, key: hasKey ? randomUUID() : null });
  });
  const answers: LoadAnswer[] = [];
  const keys: KeyOutcome[] = [];
  const uploads: { id: string; sha256: string }[] = [];

  async function attempt({ operation, path, request, key }: Prepared): Promise<ApiAnswer> {
    const origin = origins[Math.floor(Math.random() * origins.length)]!;
    const headers = { ...request.headers, ...(key !== null && { 'idempotency-key': key }) };
    const answer = await callApi(origin, path, { ...request, headers, patienceMillis: PATIENCE_MILLIS });
    const { status, code, requestId } = answer;
    answers.push({ operation, status, code, requestId });
    if (status === 201 && operation.endsWith('/storage/files')) uploads.push(answer.data);
    return answer;
  }

  return {
    answers,
    keys,
    uploads,
    async send(inject, { lastsMillis, bursts }) {
      const waiting = shuffled(prepared);
      const sent: Promise<void>[] = [];
      const inBurst = Math.floor(waiting.length / 2 / Math.max(1, bursts));
      const pauseMillis = (lastsMillis * CONCURRENCY) / Math.max(1, waiting.length - inBurst * bursts);
      let faultEndedAt = Number.POSITIVE_INFINITY;

      async function sendOne(one: Prepared): Promise<void> {
        if (one.key === null) await untilReceived(one);
        else keys.push(await untilDefinite(one, one.key));
      }

      /** Repeats a request that no node has received. */
      async function untilReceived(one: Prepared): Promise<void> {
        const deadline = performance.now() + giveUpMillis;
        while ((await attempt(one)).code === 'ECONNREFUSED' && performance.now() < deadline) await sleep(100);
      }

      async function untilDefinite(one: Prepared, key: string): Promise<KeyOutcome> {
        const began = performance.now();
        for (;;) {
          const answer = await attempt(one);
          const since = Math.min(performance.now(), Math.max(began, faultEndedAt));
          const afterMillis = performance.now() - since;
          const told = toldOfKey(answer);
          const outcome = { key, operation: one.operation, detail: `${answer.status} ${answer.code}`, afterMillis };
          if (told !== null) return { ...outcome, told };
          if (afterMillis > giveUpMillis) return { ...outcome, told: 'none' };
          await sleep(100 + Math.random() * 200);
        }
      }

      async function burst(): Promise<void> {
        for (const one of waiting.splice(0, inBurst)) sent.push(sendOne(one));
        await sleep(Math.random() * BURST_MILLIS);
      }

      const fault = inject(burst).finally(() => {
        faultEndedAt = performance.now();
      });
      await inTurns(waiting, async (one) => {
        // What is left when the fault ends is sent at once.
        if (faultEndedAt > performance.now()) await sleep(Math.random() * 2 * pauseMillis);
        await sendOne(one);
      });
      await fault;
      await Promise.all(sent);
    },
  };
}

/** Null: the client has to try again. */
export function toldOfKey({ status, code }: Pick<ApiAnswer, 'status' | 'code'>): KeyOutcome['told'] | null {
  if ((status >= 200 && status < 300) || code === 'IDEMPOTENCY_SUBMITTED') return 'done';
  if (code === 'IDEMPOTENCY_OUTCOME_UNKNOWN') return 'unknown';
  if (status === 0 || status === 429 || status >= 500 || code === 'IDEMPOTENCY_PROCESSING') return null;
  return 'refused';
}

/** A busy machine may refuse a fixture, such as an account. Another attempt makes a new one. */
async function tryAgain<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      await sleep(500);
    }
  }
}

/** Takes the items out of the list, some at a time. */
async function inTurns<Item>(waiting: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  });
  await Promise.all(workers);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
