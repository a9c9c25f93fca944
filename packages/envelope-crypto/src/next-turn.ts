import { setImmediate } from 'node:timers/promises';

/** From so many bytes on, each step of the work on a message has a turn of the event loop to itself: others wait for none of them long. */
const LARGE_BYTES = 16_384;

/** Lets everybody else have their turn first, if the message is a large one. */
export async function takeTurnIfLarge(message: Uint8Array): Promise<void> {
  if (message.length >= LARGE_BYTES) await setImmediate();
}
