import {
  createEnvelopeClient,
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  type EnvelopeBootstrap,
  openResponse,
  type RequestState,
  sealRequest,
} from '@sallyport/envelope-crypto/client';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { type Answer, readAnswer, readBytes } from './answer.js';
import {
  type Exchange,
  MAX_PATIENCE_SECONDS,
  refuseBusy,
  retryWhileBusy,
  ServiceBusyError,
  type Waiting,
} from './busy.js';
import { NotApplicableError, NotRunError } from './not-run.js';
import { type RawRequest, sendRaw } from './raw-request.js';

/** A request as a client of the service makes it. */
export interface Call {
  readonly method?: string;
  /** With its query, under the base URL. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A body as it is, with its content type in `headers`. */
  readonly bytes?: Uint8Array;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Waits and retries if a rate limit refuses. Default true; false in checks of the limits. */
  readonly isPatient?: boolean;
}

/** What is sealed, and how far its timestamp is ahead of the service's clock. */
export interface Sealable extends Omit<Call, 'bytes' | 'isPatient'> {
  readonly aheadMillis?: number;
}

/** A request in its envelope. A check may change it and send it repeatedly. */
export interface SealedRequest {
  readonly request: RawRequest;
  /** The opened answer; an answer in the clear is unchanged. */
  open(answer: Answer): Answer;
}

/** The running service, over HTTP only. Every method rejects if an answer is 503. */
export interface Deployment {
  readonly url: URL;
  /** Sent in an envelope if the service accepts one. */
  call(call: Call): Promise<Answer>;
  /**
   * Sent unmodified, on its own connection. The target is relative to the base URL unless it is absolute.
   */
  send(request: RawRequest): Promise<Answer>;
  /** What the service says of its encryption. */
  bootstrap(): Promise<EnvelopeBootstrap>;
  /** @throws NotApplicableError where the mode is OFF */
  seal(call: Sealable): Promise<SealedRequest>;
}

export interface DeploymentOptions extends Waiting {
  readonly url: URL;
  /** Routes in the clear in addition to those of this server, `PATH` or `PATH METHOD`. */
  readonly bypass?: readonly string[];
  /** After its abort no request begins; requests in progress are completed. */
  readonly signal?: AbortSignal;
  /** Default: it rejects with a 503, and remembers nothing. */
  readonly exchange?: Exchange;
}

/** Routes of this server that no envelope can carry, in addition to the default ones. */
const IN_THE_CLEAR = [
  '/admin/storage/files POST',
  '/admin/storage/files/:id/content',
  '/admin/storage/simulate POST',
  '/admin/audit-records/export GET',
  '/actuator/metrics',
  '/actuator/health/liveness',
  '/actuator/health/readiness',
];

/** Longer than any answer of this server takes, in milliseconds. */
const TIMEOUT_MILLIS = 60_000;

/** Where the service describes its encryption. */
const KEYS_PATH = '/encryption/public-key';

/** How often one request waits for a limit. */
const MAX_WAITS = 3;

/** Only for reading and deleting: a call that meets 503 is made again. */
export function retryCalls({ call }: Pick<Deployment, 'call'>, waiting: Waiting): Pick<Deployment, 'call'> {
  return { call: (request) => retryWhileBusy(() => call(request), waiting) };
}

export function createDeployment(options: DeploymentOptions): Deployment {
  const { url, bypass = [], signal, exchange = refuseBusy, sleep, onWait } = options;
  const base = url.href.replace(/\/$/, '');
  const basePath = new URL(base).pathname.replace(/\/$/, '');
  const client = createEnvelopeClient({
    baseUrl: base,
    bypass: [...IN_THE_CLEAR, ...bypass],
    fetch: patientlyForKeys,
  });
  const bootstrap = () => client.bootstrap().catch(throwAway);
  let aheadOfHere: number | null = null;

  async function callOnce({ method = 'GET', path, body, bytes, token, headers = {} }: Call): Promise<Answer> {
    signal?.throwIfAborted();
    const response = await client
      .fetch(path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(bytes !== undefined && { body: bytes as Uint8Array<ArrayBuffer> }),
      })
      .catch(throwAway);
    return readAnswer(response.status, response.headers, Buffer.from(await response.arrayBuffer()));
  }

  function sendOnce(raw: RawRequest): Promise<Answer> {
    const send = () => sendRaw(url, raw, { timeoutMillis: TIMEOUT_MILLIS });
    return exchange(`${raw.method} ${raw.target}`, send).catch(throwAway);
  }

  /** Retries the requests that the client sends for itself when a limit refuses them. */
  async function patientlyForKeys(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const limited = { ...init, redirect: 'manual' as const };
    for (let waits = 0; ; waits += 1) {
      const response = await exchange(`${init?.method ?? 'GET'} ${pathOf(input)}`, async () =>
        readWhole(await fetch(input, { ...limited, signal: AbortSignal.timeout(TIMEOUT_MILLIS) })),
      );
      const isForKeys = String(input).endsWith(KEYS_PATH);
      if (!isForKeys || response.status !== 429 || waits >= MAX_WAITS) return response;
      const body = (await response
        .clone()
        .json()
        .catch(() => null)) as Answer['json'];
      const seconds = secondsToWait(body, response.headers);
      if (seconds > MAX_PATIENCE_SECONDS) return response;
      onWait?.(`waiting ${seconds} s for the rate limit of GET ${KEYS_PATH}`);
      await sleep(seconds * 1000);
    }
  }

  /** A request that a rate limit refused was not executed, so it can be sent again unchanged. */
  async function patiently(what: string, isPatient: boolean | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    for (let waits = 0; ; waits += 1) {
      const answer = await ask();
      const seconds = secondsToWait(answer.json, answer.headers);
      const isWorthIt = isPatient !== false && waits < MAX_WAITS && seconds <= MAX_PATIENCE_SECONDS;
      if (answer.status !== 429 || answer.code !== 'RATE_LIMITED' || !isWorthIt) return answer;
      onWait?.(`waiting ${seconds} s for the rate limit of ${what.split('?')[0]}`);
      await sleep(seconds * 1000);
    }
  }

  return {
    url,
    bootstrap,

    call: (call) => patiently(`${call.method ?? 'GET'} ${call.path}`, call.isPatient, () => callOnce(call)),

    send(request) {
      const isAbsolute = /^[a-z]+:\/\//i.test(request.target);
      const raw = { ...request, target: isAbsolute ? request.target : basePath + request.target };
      return patiently(`${raw.method} ${raw.target}`, request.isPatient, async () => {
        signal?.throwIfAborted();
        return sendOnce(raw);
      });
    },

    async seal({ method = 'GET', path, body, token, headers = {}, aheadMillis = 0 }) {
      const service = await bootstrap();
      if (service.mode === 'OFF') throw new NotApplicableError('the encryption mode is OFF');
      const askedAt = await serviceTime();
      const [plainPath = '', query = ''] = path.split(/\?(.*)/s);
      const carrier = method === 'GET' ? 'query' : 'body';
      const { keyId, publicKey } = service;
      if (keyId === undefined || publicKey === undefined) throw new NotRunError('the service names no public key');
      const { text, requestState } = sealRequest(
        { ...service, keyId, publicKey: Buffer.from(publicKey, 'hex') },
        {
          carrier,
          method,
          path: plainPath,
          authorization: token === undefined ? '-' : Buffer.from(sm3(Buffer.from(token))).toString('base64url'),
          idempotencyKey: headers['idempotency-key'] ?? '-',
          timestamp: Math.round(askedAt + aheadMillis),
          query,
          body: body === undefined ? '' : JSON.stringify(body),
        },
      );
      const sealed = {
        ...headers,
        [ENVELOPE_HEADER]: ENVELOPE_VERSION,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(carrier === 'body' && { 'content-type': 'application/json' }),
      };
      const request =
        carrier === 'query'
          ? { method, target: `${plainPath}?${text}`, headers: sealed }
          : { method, target: plainPath, headers: sealed, body: text };
      return { request, open: (answer) => open(requestState, answer, service.timestampWindowSeconds) };
    },
  };

  /** The service's clock, from the offset that it once reported. */
  async function serviceTime(): Promise<number> {
    if (aheadOfHere === null) {
      const request = { method: 'GET', target: basePath + KEYS_PATH };
      const { json } = await sendOnce(request);
      const time: unknown = json?.data?.serverTime;
      if (typeof time !== 'number') throw new NotRunError('the service does not send its time');
      aheadOfHere = time - Date.now();
    }
    return Date.now() + aheadOfHere;
  }
}

/** The same response with its body in memory: what reads it later has no bound of its own. */
async function readWhole({ body, status, headers }: Response): Promise<Response> {
  const bytes = body === null ? null : await readBytes(body);
  return new Response(bytes as Uint8Array<ArrayBuffer> | null, { status, headers });
}

function open(requestState: RequestState, answer: Answer, timestampWindowSeconds: number): Answer {
  const received = { status: answer.status, headers: answer.headers, body: answer.bytes };
  // The age of the answer does not matter to a check.
  const opened = openResponse(requestState, received, { now: stampOf(answer), timestampWindowSeconds });
  if (opened.kind === 'plaintext') return answer;
  return readAnswer(answer.status, answer.headers, Buffer.from(opened.plaintext));
}

function stampOf({ json }: Answer): number {
  return typeof json?.ts === 'number' ? json.ts : Date.now();
}

function secondsToWait(json: Answer['json'], headers: Answer['headers']): number {
  const seconds = Number(json?.retryAfterSeconds ?? headers.get('retry-after') ?? 1);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : 1;
}

function pathOf(input: Parameters<typeof fetch>[0]): string {
  return new URL(input instanceof Request ? input.url : input).pathname;
}

/** The network error, as text. */
function throwAway(error: unknown): never {
  if (!(error instanceof Error) || error instanceof ServiceBusyError) throw error;
  const { cause } = error;
  if (cause instanceof ServiceBusyError) throw cause;
  const why = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  throw new NotRunError(why, { cause: error });
}
