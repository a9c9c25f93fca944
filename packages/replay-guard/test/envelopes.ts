import { randomBytes } from 'node:crypto';
import type { ClaimableEnvelope } from '../src/index.js';

/** An envelope as the guard gets it: opened, authentic, its timestamp inside the window. */
export function openedEnvelope(over: Partial<ClaimableEnvelope> = {}): ClaimableEnvelope {
  const receivedAt = over.receivedAt ?? Date.now();
  return {
    keyId: '2026-11',
    nonce: randomBytes(16),
    timestamp: receivedAt,
    receivedAt,
    timestampWindowSeconds: 300,
    ...over,
  };
}
