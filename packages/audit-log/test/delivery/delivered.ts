import { randomUUID } from 'node:crypto';
import type { DeliveredRecord } from '../../src/delivery.js';

/** A record as a target receives it. */
export function makeDelivered(over: Partial<DeliveredRecord> = {}): DeliveredRecord {
  return {
    sequence: 7,
    id: randomUUID(),
    occurredAt: '2026-11-21T16:15:09.123000Z',
    actor: 'admin:42',
    action: 'payment.create',
    target: 'payment:7',
    outcome: 'success',
    reason: null,
    durationMillis: '12',
    parameters: '{"amount":"12.50","payee":"Ada"}',
    clientIp: '203.0.113.7',
    extra: '{"requestId":"r1"}',
    previous: 'A'.repeat(43),
    mac: 'B'.repeat(43),
    keyId: 'k1',
    isSecurityEvent: false,
    ...over,
  };
}
