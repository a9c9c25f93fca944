import {
  type ClientRequest,
  type IncomingMessage,
  request as requestByHttp,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { request as requestByHttps } from 'node:https';
import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { holdsMembers, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import { type AuditTarget, TargetRefusedError, TargetUnavailableError } from './audit-target.js';
import { ndjsonLine } from './ndjson-line.js';
import { type TargetTlsOptions, targetTlsRules, tlsContext, tlsFaults } from './tls-options.js';

export interface NdjsonTargetOptions extends TargetTlsOptions {
  /** `https:` or `http:`. Required. A user and a password in it are sent as basic credentials. */
  readonly url: string;
  /** Further headers, such as `authorization`. Default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of a batch, from the connection to the end of the answer, in ms, 100 to 600 000. Default 10 000. */
  readonly timeoutMillis?: number;
}

export const NDJSON_TARGET_DEFAULTS = {
  headers: {},
  timeoutMillis: 10_000,
} as const satisfies Partial<NdjsonTargetOptions>;

/** Headers that this target sets itself. */
const OWN_HEADERS = ['content-type', 'content-length', 'transfer-encoding', 'connection', 'host'];

/** Statuses of temporary failures, in addition to 5xx. */
const PASSING_STATUSES = [408, 425, 429];

/** Statuses that may concern a single record, or the length of the batch. */
const DIVISIBLE_STATUSES = [400, 413, 422];

/** The longest answer. It is read to its end but not used. A longer one is a failure. */
const MAX_ANSWER_BYTES = 1_048_576;

const rules = {
  ...targetTlsRules,
  url: option<string>({
    meaning: 'a URL with https: or http:',
    accepts: (value) => typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  }),
  headers: option<Readonly<Record<string, string>>>({
    meaning: `an object of header names and values, without ${OWN_HEADERS.join(', ')}`,
    accepts: areNodeHeaders,
    read: (value: Readonly<Record<string, string>>) => ({ ...value }),
    default: NDJSON_TARGET_DEFAULTS.headers,
  }),
  timeoutMillis: wholeNumber({
    ...{ min: 100, max: 600_000, unit: 'milliseconds', default: NDJSON_TARGET_DEFAULTS.timeoutMillis },
  }),
};

type CheckedOptions = Required<Omit<NdjsonTargetOptions, keyof TargetTlsOptions>> & TargetTlsOptions;

/**
 * Sends records as NDJSON, one POST with `application/x-ndjson` for a batch.
 *
 * A complete answer with 2xx acknowledges the batch. After 408, 425, 429, 5xx, a broken connection and a late or
 * incomplete answer, it is sent again; `retry-after` is respected up to `maxRetrySeconds`. Every other status stops the
 * delivery. So do redirects, because they would send the headers elsewhere. After 400, 413 and 422 the batch is halved
 * first, down to the refused record.
 *
 * @example
 * ```ts
 * const delivery = createAuditDelivery({
 *   database: drizzle(client),
 *   destination: 'siem', // names the cursor
 *   target: createNdjsonTarget({
 *     url: `http://127.0.0.1:${port}/audit`,
 *     headers: { authorization: 'Bearer of-the-receiver' },
 *   }),
 *   log: app.log,
 * });
 * delivery.start();
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createNdjsonTarget(options: NdjsonTargetOptions): AuditTarget {
  const checked = readOptions<CheckedOptions>(
    { subject: 'createNdjsonTarget', SetupError: AuditSetupError },
    options,
    rules,
    tlsFaults,
  );
  const { url, headers, timeoutMillis } = checked;
  const isTls = new URL(url).protocol === 'https:';
  const startRequest = isTls ? requestByHttps : requestByHttp;
  return {
    async send(records, signal) {
      const body = Buffer.from(records.map(ndjsonLine).join(''));
      const request = startRequest(url, {
        method: 'POST',
        // If a connection were kept, the receiver could close it, and the outcome of a request would be unknown.
        agent: false,
        ...(isTls && tlsContext(checked)),
        headers: { ...headers, 'content-type': 'application/x-ndjson', 'content-length': body.length },
      });
      judge(await answerOf(request, body, { timeoutMillis, signal }));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfterMillis: number;
}

function answerOf(
  request: ClientRequest,
  body: Buffer,
  { timeoutMillis, signal }: { readonly timeoutMillis: number; readonly signal: AbortSignal },
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    let bytes = 0;
    const cancelDeadline = startDeadline(timeoutMillis, () => fail(`no answer in ${timeoutMillis} ms`));
    const abort = () => fail('given up');
    function settle(): void {
      cancelDeadline();
      signal.removeEventListener('abort', abort);
      request.destroy();
    }
    function fail(what: string, cause?: unknown): void {
      settle();
      reject(new TargetUnavailableError(`The NDJSON receiver: ${what}`, {}, cause));
    }
    function read(response: IncomingMessage): void {
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) fail('the answer is too long');
      });
      response.on('error', (error) => fail(error.message, error));
      response.once('close', () => {
        if (!response.complete) return fail('the answer is incomplete');
        settle();
        resolve({ status: response.statusCode ?? 0, retryAfterMillis: millisOf(response.headers['retry-after']) });
      });
    }
    // Error texts of Node.js contain the address and the fault of a certificate, but nothing secret.
    request.on('error', (error) => fail(error.message, error));
    request.once('response', read);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    request.end(body);
  });
}

function judge({ status, retryAfterMillis }: Answer): void {
  if (status >= 200 && status <= 299) return;
  const message = `The NDJSON receiver answered ${status}`;
  if (status >= 500 || PASSING_STATUSES.includes(status))
    throw new TargetUnavailableError(message, { retryAfterMillis });
  throw new TargetRefusedError(message, { isDivisible: DIVISIBLE_STATUSES.includes(status) });
}

/** `Retry-After` in seconds. A date is ignored, because it depends on two clocks. */
function millisOf(header: string | undefined): number {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;
}

/** Whether `node:http` can send them. Unlike `fetch`, it refuses line ends and control characters also at the end. */
function areNodeHeaders(value: unknown): boolean {
  // Others would be sent without their entries.
  if (!holdsMembers(value)) return false;
  return Object.entries(value).every(([name, content]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, content);
      return typeof content === 'string' && !OWN_HEADERS.includes(name.toLowerCase());
    } catch {
      return false;
    }
  });
}
