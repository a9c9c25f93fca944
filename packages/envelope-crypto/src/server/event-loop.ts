import { setImmediate } from 'node:timers/promises';

/** From so many bytes on, each step of the work on a message has a turn of the event loop to itself: others wait for none of them long. */
const LARGE_BYTES = 16_384;

/** Whether others should have their turn before the next step of the work on this message. */
export function isLarge(message: Uint8Array): boolean {
  return message.length >= LARGE_BYTES;
}

/** Lets everybody else have their turn first. */
export const nextTurn = (): Promise<void> => setImmediate();
