import { hexToBytes } from '@noble/hashes/utils.js';
import { isSm2PublicKey } from '../../gm/index.js';
import {
  type EnvelopeBootstrap,
  isJsonContentType,
  isKeyId,
  MAX_QUERY_BYTES,
  SUITE_NAME,
  type TextDecoding,
} from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';
import type { Answer } from './answer.js';
import type { SealingEpoch } from './encryption-guard.js';

/** A day, the maximum of a service's configuration. A wider window would make old answers fresh. */
const MAX_WINDOW_SECONDS = 86_400;

/** 16 MiB, the maximum of a service's configuration. */
const MAX_PAYLOAD_BYTES = 16_777_216;

/**
 * Reads the answer of the bootstrap endpoint. Throws `BOOTSTRAP_FAILED` for an invalid one.
 *
 * @param asked the URL that gave the answer
 */
export async function readBootstrap(
  answer: Answer,
  asked: string,
  decodeText: TextDecoding,
): Promise<EnvelopeBootstrap> {
  const failed = (message: string, cause?: unknown) =>
    new EnvelopeClientError('BOOTSTRAP_FAILED', `${asked}: ${message}`, { cause });
  if (!isSuccess(answer) || !isJsonContentType(answer.headers.get('content-type'))) {
    throw failed(
      `the service answered ${answer.status} without a description of its encryption; ` +
        'register publicKeyRoute there, or give bootstrapPath',
    );
  }
  const { data } = await readJson(answer, decodeText).catch((cause: unknown) => {
    throw failed('the description of the encryption is not JSON', cause);
  });
  const fault = faultOf(data as Parameters<typeof faultOf>[0]);
  if (fault !== null) throw failed(`the description of the encryption has ${fault}`);
  // The application gets the same object.
  return Object.freeze(data) as EnvelopeBootstrap;
}

/** Whether the status is 2xx. */
export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** The members of the JSON object in the body. Empty if the JSON is not an object. Rejects if the body is not JSON. */
export async function readJson(answer: Answer, decodeText: TextDecoding): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = JSON.parse(decodeText(await answer.bytes()));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function faultOf(data: Partial<Record<keyof EnvelopeBootstrap, unknown>> | null | undefined): string | null {
  if (typeof data !== 'object' || data === null) return 'no data';
  if (!isCount(data.serverTime)) return 'no serverTime';
  if (data.mode === 'OFF') return null;
  if (data.mode !== 'OPTIONAL' && data.mode !== 'REQUIRED') return 'an unknown mode';
  if (data.suite !== SUITE_NAME || data.version !== 1) return 'an unknown suite or version';
  if (!isKeyId(data.keyId)) return 'no keyId';
  if (!isPublicKey(data.publicKey)) return 'no publicKey';
  const { timestampWindowSeconds, maxPayloadBytes, maxQueryBytes } = data;
  const areLimits =
    isCount(timestampWindowSeconds, MAX_WINDOW_SECONDS) &&
    isCount(maxPayloadBytes, MAX_PAYLOAD_BYTES) &&
    isCount(maxQueryBytes, MAX_QUERY_BYTES);
  return areLimits ? null : 'impossible limits';
}

/** Whether it is a point of the curve in 130 lower-case hexadecimal characters. */
export function isPublicKey(key: unknown): key is string {
  return typeof key === 'string' && /^04[0-9a-f]{128}$/.test(key) && isSm2PublicKey(hexToBytes(key));
}

export function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}

/** The longest time that callers wait for the same read, because an attacker can let an answer trickle forever. */
const MAX_READ_MILLIS = 10_000;

/** The bootstrap, read once for all concurrent callers. */
export interface BootstrapCache {
  /** Rejects with the reason of the signal when it aborts. The read continues for other callers. */
  current(signal?: AbortSignal | null): Promise<EnvelopeBootstrap>;
  /** The bootstrap after a stale one. It is read again unless another caller has done so. */
  after(stale: EnvelopeBootstrap, signal?: AbortSignal | null): Promise<EnvelopeBootstrap>;
  forget(): void;
}

/** One read of the bootstrap. It is shared until its age exceeds `maxMillis`, or until another epoch begins. */
interface Reading {
  readonly bootstrap: Promise<EnvelopeBootstrap>;
  since: number;
  readonly epoch: SealingEpoch;
  maxMillis: number;
}

/** @param maxAgeMillis how long a bootstrap that was just read is kept */
export function createBootstrapCache(
  read: () => Promise<EnvelopeBootstrap>,
  maxAgeMillis: (bootstrap: EnvelopeBootstrap) => number,
  now: () => number,
  currentEpoch: () => SealingEpoch,
): BootstrapCache {
  let reading: Reading | null = null;

  function current(signal?: AbortSignal | null): Promise<EnvelopeBootstrap> {
    const epoch = currentEpoch();
    if (reading?.epoch !== epoch || Math.abs(now() - reading.since) > reading.maxMillis) {
      const started: Reading = { bootstrap: read(), since: now(), epoch, maxMillis: MAX_READ_MILLIS };
      reading = started;
      started.bootstrap.then(
        (bootstrap) => {
          started.since = now();
          started.maxMillis = maxAgeMillis(bootstrap);
        },
        // A failure reaches all waiting callers. The next caller tries again.
        () => {
          if (reading === started) reading = null;
        },
      );
    }
    return unlessAborted(reading.bootstrap, signal);
  }

  return {
    current,
    async after(stale, signal) {
      const before = reading;
      // If several callers were refused together, the first one forgets it.
      if ((await current(signal)) === stale && reading === before) reading = null;
      return current(signal);
    },
    forget() {
      reading = null;
    },
  };
}

/** Waits for shared work until the signal aborts. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | null | undefined): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
