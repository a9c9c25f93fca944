import { randomBytes } from 'node:crypto';
import { hkdfSm3, sm2Encryptor, sm4GcmSeal } from '@sallyport/envelope-crypto/gm';
import type { InjectOptions } from 'fastify';

/** The service that a request is sealed for. */
export interface Recipient {
  readonly keyId: string;
  readonly encryptBaseKey: (message: Uint8Array) => Uint8Array;
}

export function recipientOf({ keyId, publicKey }: { keyId: string | null; publicKey: string | null }): Recipient {
  if (keyId === null || publicKey === null) throw new Error('no key');
  return { keyId, encryptBaseKey: sm2Encryptor(Buffer.from(publicKey, 'hex'), true) };
}

/** The changes that an attacker can make after the sealing. */
export type Tampering = (envelope: Record<string, unknown>) => object;

const b64u = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/**
 * A sealed POST with an empty query, written from the envelope-v1 page and independent of the client, so that a test
 * can choose its stamp and break it anywhere.
 */
export function sealPost(
  { keyId, encryptBaseKey }: Recipient,
  url: string,
  json: string,
  {
    timestamp = Date.now(),
    idempotencyKey = '-',
    tamper = (envelope) => envelope,
  }: {
    timestamp?: number;
    idempotencyKey?: string;
    tamper?: Tampering;
  } = {},
): InjectOptions {
  const [baseKey, nonce, iv] = [randomBytes(16), randomBytes(16), randomBytes(12)];
  const requestKey = hkdfSm3(baseKey, nonce, Buffer.from(`sm2-sm4-gcm-v1|request|${keyId}`), 16);
  const aad = ['v1', 'sm2-sm4-gcm-v1', keyId, 'body', timestamp, b64u(nonce), 'POST', url, '-', idempotencyKey].join(
    '\n',
  );
  const ct = sm4GcmSeal(requestKey, iv, Buffer.from(aad), Buffer.from(`\n${json}`));
  const envelope = {
    kid: keyId,
    ts: timestamp,
    nonce: b64u(nonce),
    ek: b64u(encryptBaseKey(baseKey)),
    iv: b64u(iv),
    ct: b64u(ct),
  };
  return {
    method: 'POST',
    url,
    headers: {
      'api-encryption': 'v1',
      'content-type': 'application/json',
      ...(idempotencyKey === '-' ? {} : { 'idempotency-key': idempotencyKey }),
    },
    payload: JSON.stringify(tamper(envelope)),
  };
}
