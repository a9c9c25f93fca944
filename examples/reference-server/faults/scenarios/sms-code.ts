import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, callFor } from '../api-client.js';

/** The limit for a message to reach the outbox on a busy machine, in milliseconds. */
const MESSAGE_LIMIT_MILLIS = 30_000;

/** Requests a code until the number is allowed one, and waits until its message was sent. */
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
