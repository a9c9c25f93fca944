import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEnvelopeClient, type EnvelopeClient } from '@sallyport/envelope-crypto/client';
import { type History, isDefinite, type Told } from './history.js';

/** What the client writes: payments, or files. */
export type Resource = 'payments' | 'files';

const paths: Readonly<Record<Resource, string>> = { payments: '/admin/payments', files: '/admin/storage/files' };

/** Pause of a worker between two keys, in milliseconds. It leaves CPU time for starting servers. */
const PAUSE_MILLIS = 40;

export interface LoadClientOptions {
  /** The origin of every node that may receive requests. */
  readonly origins: readonly string[];
  readonly token: string;
  readonly history: History;
  /** The prefix of every payee or file name, which identifies the rows of this run. */
  readonly run: string;
  /** Default `payments`. Files are never sealed. */
  readonly resource?: Resource;
  /**
   * The client gives up on a key after this time, in milliseconds. It must exceed the limit that the checker applies.
   */
  readonly giveUpMillis: number;
  /** Timeout of one attempt, in milliseconds. Default 3000. */
  readonly patienceMillis?: number;
  /** The share of attempts sent in a new envelope, 0 to 1. Default 0. */
  readonly sealedShare?: number;
}

/** Writes payments or files as an application would, and records all answers. */
export interface LoadClient {
  /** Retries a key on any node until the answer is definite. Resolves to the last answer. */
  submit(key?: string): Promise<Told>;
  /** Sends a key once. */
  attempt(key: string, origin: string): Promise<Told>;
  /** Sends the key of a payment once, and closes the socket this many milliseconds after the request. */
  hangUp(key: string, origin: string, afterMillis: number): Promise<void>;
  /** Sends new keys with the given concurrency until stopped. */
  start(concurrency: number): Load;
}

export interface Load {
  /** Stops sending new keys, and resolves when every sent key has a definite answer or was given up. */
  stop(): Promise<void>;
}

export function createLoadClient({
  origins,
  token,
  history,
  run,
  giveUpMillis,
  patienceMillis = 3000,
  sealedShare = 0,
  resource = 'payments',
}: LoadClientOptions): LoadClient {
  const path = paths[resource];
  const envelopes = new Map<string, EnvelopeClient>();

  function senderTo(origin: string): (path: string, init: RequestInit) => Promise<Response> {
    if (Math.random() >= sealedShare) return (path, init) => fetch(origin + path, init);
    const client = envelopes.get(origin) ?? createEnvelopeClient({ baseUrl: origin });
    envelopes.set(origin, client);
    return client.fetch;
  }

  async function attempt(key: string, origin: string): Promise<Told> {
    history.begin(key);
    const sentAt = performance.now();
    const told = await ask(senderTo(origin), key);
    history.record({ key, origin, sentAt, toldAt: performance.now(), told });
    return told;
  }

  async function ask(send: ReturnType<typeof senderTo>, key: string): Promise<Told> {
    try {
      const signal = AbortSignal.timeout(patienceMillis);
      const response = await send(path, { method: 'POST', headers: headersOf(key), body: bodyOf(key), signal });
      return toldBy(response.status, JSON.parse(await response.text()));
    } catch (error) {
      return { kind: 'nothing', reason: reasonOf(error) };
    }
  }

  const paymentOf = (key: string) => JSON.stringify({ payee: nameOf(run, key), amount: '12.50' });
  const bodyOf = (key: string) => (resource === 'files' ? formOf(run, key) : paymentOf(key));
  const headersOf = (key: string) => ({
    authorization: `Bearer ${token}`,
    ...(resource === 'payments' && { 'content-type': 'application/json' }),
    'idempotency-key': key,
  });

  async function hangUp(key: string, origin: string, afterMillis: number): Promise<void> {
    history.begin(key);
    const sentAt = performance.now();
    const sending = request(origin + path, { method: 'POST', headers: headersOf(key), agent: false });
    sending.on('error', () => {});
    const closed = new Promise((resolve) => sending.once('close', resolve));
    sending.end(paymentOf(key), () => setTimeout(() => sending.destroy(), afterMillis));
    await closed;
    const told: Told = { kind: 'nothing', reason: 'hung up' };
    history.record({ key, origin, sentAt, toldAt: performance.now(), told });
  }

  async function submit(key: string = randomUUID()): Promise<Told> {
    const deadline = performance.now() + giveUpMillis;
    for (;;) {
      const told = await attempt(key, origins[Math.floor(Math.random() * origins.length)]!);
      if (isDefinite(told) || performance.now() > deadline) return told;
      await sleep(50 + Math.random() * 150);
    }
  }

  function start(concurrency: number): Load {
    let isStopped = false;
    const workers = Array.from({ length: concurrency }, async () => {
      while (!isStopped) {
        await submit();
        await sleep(Math.random() * 2 * PAUSE_MILLIS);
      }
    });
    return {
      async stop() {
        isStopped = true;
        await Promise.all(workers);
      },
    };
  }

  return { submit, attempt, hangUp, start };
}

/** Returns the payee or the file name, which contains the row's key. */
function nameOf(run: string, key: string): string {
  return `${run} ${key}`;
}

/** The content of the file of a key. */
export const contentOf = (key: string) => `${key}\n`.repeat(100);

function formOf(run: string, key: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([contentOf(key)], { type: 'text/plain' }), `${nameOf(run, key)}.txt`);
  return form;
}

interface AnswerBody {
  readonly data?: { readonly id?: string };
  readonly code?: string;
}

/** Interprets the answer to a write. */
export function toldBy(status: number, { data, code = '' }: AnswerBody): Told {
  if (status === 201 && data?.id !== undefined) return { kind: 'acknowledged', paymentId: data.id };
  if (code === 'IDEMPOTENCY_SUBMITTED') return { kind: 'submitted' };
  if (code === 'IDEMPOTENCY_OUTCOME_UNKNOWN') return { kind: 'unknown' };
  if (code === 'IDEMPOTENCY_PROCESSING' || status === 429 || status >= 500) return { kind: 'try-again', status, code };
  return { kind: 'refused', status, code };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
