import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import type { PostgresAuditSink } from '@sallyport/audit-log/postgres';
import type { OneTimeCodeEvent } from '@sallyport/one-time-codes';
import type { FastifyBaseLogger } from 'fastify';
import { maskMobile } from '../../http/mobile-number.js';

interface EventDependencies {
  readonly sink: Pick<PostgresAuditSink, 'append'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** Guesses are attacks on accounts, the others on the operator's money. */
const actions = {
  'recipient-guessed': 'sms-code.guessed',
  'guesses-overall': 'sms-code.guessed',
  'low-use': 'sms-code.low-use',
  'use-recovered': 'sms-code.use-recovered',
  'budget-used-up': 'sms-code.budget-used-up',
} as const satisfies Record<OneTimeCodeEvent['type'], string>;

/** Returns the function that puts a security event into the audit log and the server's log (OTC-3). */
export function recordCodeEvents({ sink, log, now = Date.now }: EventDependencies) {
  const nextId = createRecordIds(now);
  return async function recordCodeEvent(event: OneTimeCodeEvent): Promise<void> {
    const { type, ...detail } = event;
    const target = 'recipient' in event ? event.recipient : 'scope' in event ? event.scope : 'overall';
    const shown = 'recipient' in event ? { ...detail, recipient: maskMobile(event.recipient) } : detail;
    log.warn({ event: type, ...shown }, 'one-time codes are under attack, or no longer');
    const record = { action: actions[type], target, outcome: 'success' as const, detail: shown };
    await sink.append([createAuditRecord(record, { id: nextId(), occurredAt: now() })]);
  };
}
