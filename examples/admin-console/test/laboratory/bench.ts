import { hkdfSm3, randomSm2Scalar, sm2Open, sm2PublicKey, sm4GcmOpen } from '@sallyport/envelope-crypto/gm';
import { decodeBase64url } from '../../src/places/laboratory/protocol/base64url.js';
import type { Answer, Answered, Exchange, Sent } from '../../src/places/laboratory/protocol/delivery.js';
import { boundValues, type SealedEnvelope, type SealingKey } from '../../src/places/laboratory/protocol/envelope.js';
import { type Material, seal } from '../../src/places/laboratory/protocol/prepare.js';
import { buildRequest, type RequestName } from '../../src/places/laboratory/protocol/requests.js';

export const WINDOW_SECONDS = 300;
export const NOW = 1_790_000_000_000;
export const CONTENT = { payee: 'Harbour Supplies', amount: '12.50' };
export const KEY = '3f0a8f8e-5d0c-4c58-9d2f-6d1b0c6f8a11';
export const TOKEN = 'header.payload.signature';

const privateKey = randomSm2Scalar();

const SEALING_KEY: SealingKey = {
  keyId: 'test',
  publicKey: Buffer.from(sm2PublicKey(privateKey)).toString('hex'),
  maxPayloadBytes: 65_536,
  maxQueryBytes: 4096,
};

export function materialOf(name: RequestName, changed: Partial<Material> = {}): Material {
  const draft = buildRequest(name, CONTENT, KEY);
  return { key: SEALING_KEY, token: TOKEN, language: 'en', now: NOW, draft, last: null, ...changed };
}

export function sentOf(name: RequestName, changed: Partial<Material> = {}): Sent {
  const material = materialOf(name, changed);
  return seal(material, material.draft);
}

/** Opens an envelope as the protocol page says, from the values that the page shows. Null: it does not open. */
export function openShown({ request, token }: Sent, envelope: SealedEnvelope): string | null {
  const { members } = envelope;
  const baseKey = sm2Open(privateKey, decodeBase64url(members.ek));
  if (baseKey === null) return null;
  const info = new TextEncoder().encode(`sm2-sm4-gcm-v1|request|${members.kid}`);
  const key = hkdfSm3(baseKey, decodeBase64url(members.nonce), info, 16);
  const aad = new TextEncoder().encode(Object.values(boundValues(envelope, request, token)).join('\n'));
  const plaintext = sm4GcmOpen(key, decodeBase64url(members.iv), aad, decodeBase64url(members.ct));
  return plaintext === null ? null : new TextDecoder().decode(plaintext);
}

export function refusal(code: string, changed: Partial<Answered> = {}): Answered {
  const text = { detail: 'No.', requestId: 'r', serverTime: null, wireText: '', text: '' };
  return { kind: 'answered', status: 400, code, isSealed: false, ...text, ...changed };
}

export function success(isSealed: boolean): Answered {
  return refusal('', { status: 200, code: null, isSealed });
}

export function exchangeOf(sent: Sent, answer: Answer): Exchange {
  return { sent, answer };
}
