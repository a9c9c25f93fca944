import { v7 as uuidv7 } from 'uuid';
import type { Language } from '../../http/language.js';
import type { NotificationQueue } from '../notifications/index.js';
import type { SendLimits, SendRequest } from './send-limits.js';
import type { SmsCodes } from './sms-codes.js';

export interface SendCodeDependencies {
  readonly codes: Pick<SmsCodes, 'issue' | 'withdraw'>;
  readonly limits: Pick<SendLimits, 'admit'>;
  readonly queue: Pick<NotificationQueue, 'add'>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Creates a code and queues it (APP-1). This does not depend on whether the number has a user, so the answer can't
 * reveal it. If queueing fails, the code is withdrawn and not counted.
 */
export async function sendCode(
  { codes, limits, queue, now = Date.now }: SendCodeDependencies,
  request: SendRequest,
  language: Language,
): Promise<void> {
  const giveBack = await limits.admit(request);
  const { mobile } = request;
  let codeId: string | null = null;
  try {
    const { id, code, expiresAt } = await codes.issue(mobile);
    codeId = id;
    const validMinutes = Math.max(1, Math.round((expiresAt - now()) / 60_000));
    await queue.add({ id: uuidv7(), kind: 'sms-code', mobile, code, codeId, language, validMinutes, expiresAt });
  } catch (error) {
    await Promise.allSettled([giveBack(), codeId === null ? null : codes.withdraw(mobile, codeId)]);
    throw error;
  }
}
