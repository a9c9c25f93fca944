import { hexToBytes } from '@noble/hashes/utils.js';
import { isSm2PublicKey } from '../gm/index.js';
import { type EnvelopeBootstrap, isJsonContentType, isKeyId, SUITE_NAME } from '../wire/index.js';
import { EnvelopeClientError } from './errors.js';

/**
 * Reads the answer of the bootstrap endpoint. Throws `BOOTSTRAP_FAILED` for an invalid one.
 *
 * @param asked the URL that gave the answer
 */
export async function readBootstrap(response: Response, asked: string): Promise<EnvelopeBootstrap> {
  const failed = (message: string, cause?: unknown) =>
    new EnvelopeClientError('BOOTSTRAP_FAILED', `${asked}: ${message}`, { cause });
  if (!response.ok || !isJsonContentType(response.headers.get('content-type'))) {
    throw failed(
      `the service answered ${response.status} without a description of its encryption; ` +
        'register publicKeyRoute there, or give bootstrapPath',
    );
  }
  const answer: unknown = await response.json().catch((cause: unknown) => {
    throw failed('the description of the encryption is not JSON', cause);
  });
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : null;
  const fault = faultOf(data as Parameters<typeof faultOf>[0]);
  if (fault !== null) throw failed(`the description of the encryption has ${fault}`);
  return data as EnvelopeBootstrap;
}

function faultOf(data: Partial<Record<keyof EnvelopeBootstrap, unknown>> | null | undefined): string | null {
  if (typeof data !== 'object' || data === null) return 'no data';
  if (!isCount(data.serverTime)) return 'no serverTime';
  if (data.mode === 'OFF') return null;
  if (data.mode !== 'OPTIONAL' && data.mode !== 'REQUIRED') return 'an unknown mode';
  if (data.suite !== SUITE_NAME || data.version !== 1) return 'an unknown suite or version';
  if (!isKeyId(data.keyId)) return 'no keyId';
  if (typeof data.publicKey !== 'string' || !/^04[0-9a-f]{128}$/.test(data.publicKey)) return 'no publicKey';
  if (!isSm2PublicKey(hexToBytes(data.publicKey))) return 'a publicKey that is no point of the curve';
  const limits = [data.timestampWindowSeconds, data.maxPayloadBytes, data.maxQueryBytes];
  return limits.every(isCount) ? null : 'no limits';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The bootstrap, read once for all concurrent callers. */
export interface BootstrapCache {
  current(): Promise<EnvelopeBootstrap>;
  /** The bootstrap after a stale one. It is read again unless another caller has done so. */
  after(stale: EnvelopeBootstrap): Promise<EnvelopeBootstrap>;
  forget(): void;
}

export function createBootstrapCache(read: () => Promise<EnvelopeBootstrap>): BootstrapCache {
  let reading: Promise<EnvelopeBootstrap> | null = null;

  function current(): Promise<EnvelopeBootstrap> {
    if (reading === null) {
      const started = read();
      reading = started;
      // A failure reaches all waiting callers. The next caller tries again.
      started.catch(() => {
        if (reading === started) reading = null;
      });
    }
    return reading;
  }

  return {
    current,
    async after(stale) {
      if ((await current()) === stale) reading = null;
      return current();
    },
    forget() {
      reading = null;
    },
  };
}
