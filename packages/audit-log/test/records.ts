import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { AuditRecord } from '../src/index.js';
import { type AuditKey, type CheckpointKey, generateCheckpointKey, parseCheckpointKey } from '../src/postgres.js';

/** A record with the members that the plugin writes. */
export function makeRecord(over: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: v7(),
    occurredAt: Date.UTC(2026, 10, 21, 16, 15, 9, 123),
    actor: 'admin:42',
    action: 'payment.create',
    target: 'payment:7',
    outcome: 'success',
    reason: null,
    durationMillis: 12,
    parameters: { payee: 'Ada', amount: '12.50', nested: { list: [1, 2.5, null, true] } },
    clientIp: '203.0.113.7',
    extra: {
      requestId: v7(),
      terminal: 'web',
      method: 'POST',
      path: '/admin/payments',
      userAgent: 'Mozilla/5.0',
      exception: null,
    },
    ...over,
  };
}

export function makeRecords(count: number, over: (index: number) => Partial<AuditRecord> = () => ({})): AuditRecord[] {
  return Array.from({ length: count }, (_, index) => makeRecord(over(index)));
}

export function makeKey(id = 'k1', algorithm: 'sha256' | 'sm3' = 'sha256'): AuditKey {
  return { id, secret: randomBytes(32), algorithm };
}

export function makeCheckpointKey(name = 'test.example/audit'): CheckpointKey {
  return parseCheckpointKey(generateCheckpointKey(name).privateKey);
}
