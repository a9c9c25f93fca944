import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Notification } from './notification.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the notifications in the queue, so that a reader of the queue learns neither codes nor numbers. */
export interface PayloadSeal {
  seal(notification: Notification): string;
  /** @throws if it was sealed under another key or for another id, or if it was changed */
  open(id: string, sealed: string): Notification;
}

/** @param key 32 bytes */
export function createPayloadSeal(key: Uint8Array): PayloadSeal {
  return {
    seal(notification) {
      const iv = randomBytes(IV_BYTES);
      // The id is authenticated, so that a payload can't be moved to another job.
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(notification.id));
      const ct = Buffer.concat([cipher.update(JSON.stringify(notification)), cipher.final()]);
      return Buffer.concat([iv, ct, cipher.getAuthTag()]).toString('base64url');
    },
    open(id, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return JSON.parse(text.toString()) as Notification;
    },
  };
}
