import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, callFor } from '../api-client.js';

/** How long a message may take to the outbox of a machine that is busy, in milliseconds. */
const MESSAGE_LIMIT_MILLIS = 30_000;

/** Asks for a code until the number may have one, and waits until it was 'sent'. */
export async function codeFor(origin: string, mobile: string): Promise<string> {
  const outbox = () => callFor(200, origin, `/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}`);
  const deadline = Date.now() + MESSAGE_LIMIT_MILLIS;
  const before = (await outbox()).length;
  while ((await callApi(origin, '/app/auth/sendSmsCode', { body: { mobile } })).status !== 202) {
    if (Date.now() > deadline) throw new Error('no code could be asked for');
    await sleep(100);
  }
  for (;;) {
    const messages = await outbox();
    if (messages.length > before) return messages[0].code;
    if (Date.now() > deadline) throw new Error('no message came');
    await sleep(20);
  }
}
