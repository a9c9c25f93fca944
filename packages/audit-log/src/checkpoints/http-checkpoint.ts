import { setTimeout as sleep } from 'node:timers/promises';
import { holdsMembers, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import type { CheckpointWriter } from './checkpoint-delivery.js';

export interface HttpCheckpointOptions {
  /** The URL that receives the checkpoints: http or https, without a user and a password. Required. */
  readonly url: string;
  /** Further headers, such as `{ authorization: 'Bearer …' }`. Default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of an attempt, in milliseconds, 100 to 10 000. Default 3000. */
  readonly timeoutMillis?: number;
  /** The number of attempts for a checkpoint, 1 to 5. Default 3. */
  readonly attempts?: number;
}

export const HTTP_CHECKPOINT_DEFAULTS = { headers: {}, timeoutMillis: 3000, attempts: 3 } as const;

const PAUSE_MILLIS = 500;

const rules = {
  url: option<string>({
    meaning: 'an http or https URL without a user and a password',
    accepts: isRequestUrl,
  }),
  headers: option<Readonly<Record<string, string>>>({
    meaning: 'an object of header names and values',
    accepts: areFetchHeaders,
    default: HTTP_CHECKPOINT_DEFAULTS.headers,
  }),
  timeoutMillis: wholeNumber({
    min: 100,
    max: 10_000,
    unit: 'milliseconds',
    default: HTTP_CHECKPOINT_DEFAULTS.timeoutMillis,
  }),
  attempts: wholeNumber({ min: 1, max: 5, unit: 'attempts', default: HTTP_CHECKPOINT_DEFAULTS.attempts }),
};

/**
 * Sends each checkpoint to a witness: one `POST` with the signed note as `text/plain; charset=utf-8`. Any status from
 * 200 to 299 means that the witness has stored it. Everything else, including redirects, is a failure.
 *
 * @example
 * ```ts
 * const client = new S3Client({ region: 'eu-central-1' });
 * const headers = { authorization: 'Bearer of-the-witness' };
 *
 * export const checkpoint = [
 *   createHttpCheckpoint({ url: 'https://witness.example.com/checkpoints', headers }),
 *   createS3Checkpoint({ client, PutObjectCommand, bucket: 'audit-checkpoints' }),
 *   createLogCheckpoint(console),
 * ];
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createHttpCheckpoint(options: HttpCheckpointOptions): CheckpointWriter {
  const owner = { subject: 'createHttpCheckpoint', SetupError: AuditSetupError };
  const { url, headers, timeoutMillis, attempts } = readOptions<Required<HttpCheckpointOptions>>(owner, options, rules);

  async function post(note: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body: note,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMillis),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The witness answered ${response.status}`);
  }

  const write: CheckpointWriter = async ({ note }) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await post(note);
      } catch (error) {
        if (attempt >= attempts) throw error;
        await sleep(PAUSE_MILLIS * attempt);
      }
    }
  };
  // Only the host is shown, because the rest of a URL may contain a secret.
  return Object.assign(write, { destination: `witness ${new URL(url).host}` });
}

/** `fetch` refuses a URL with a user or a password. */
function isRequestUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Whether `fetch` takes them. It trims a value, such as a token that was read from a file with a line end. */
function areFetchHeaders(value: unknown): boolean {
  // Others would be sent without their entries.
  if (!holdsMembers(value)) return false;
  try {
    new Headers(value as Record<string, string>);
    return Object.values(value).every((one) => typeof one === 'string');
  } catch {
    return false;
  }
}
