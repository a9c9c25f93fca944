import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MILLIS = 30_000;

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** An authenticator app (RFC 6238), which gives a code of a step that it gave none for. */
export function openAuthenticator(secret: string) {
  let last = Number.NEGATIVE_INFINITY;
  return {
    /** The service takes a code of the next step, too: two can follow at once. */
    next(): string {
      // A code of the step before might be too old when it arrives.
      last = Math.max(last + 1, Math.floor(Date.now() / STEP_MILLIS));
      const counter = Buffer.alloc(8);
      counter.writeBigUInt64BE(BigInt(last));
      const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
      const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fffffff;
      return String(number % 1_000_000).padStart(6, '0');
    },
  };
}
