import { equalBytes } from '@noble/curves/utils.js';
import { clean } from '@noble/hashes/utils.js';
import { GCM_IV_BYTES, GCM_TAG_BYTES, GcmMessage } from './gcm.js';

/** {@link sm4GcmSeal} with a turn for others between its halves: 64 KiB take two milliseconds. */
export async function sm4GcmSealInTurns(
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  nextTurn: () => Promise<void>,
): Promise<Uint8Array> {
  const message = new GcmMessage(key, iv);
  const sealed = new Uint8Array(plaintext.length + GCM_TAG_BYTES);
  const ciphertext = sealed.subarray(0, plaintext.length);
  ciphertext.set(message.crypt(plaintext));
  await nextTurn();
  sealed.set(message.tag(aad, ciphertext), plaintext.length);
  message.destroy();
  return sealed;
}

/** {@link sm4GcmOpen} with a turn for others between its halves. Nobody may change `sealed` meanwhile. */
export async function sm4GcmOpenInTurns(
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  nextTurn: () => Promise<void>,
): Promise<Uint8Array | null> {
  if (iv.length !== GCM_IV_BYTES || sealed.length < GCM_TAG_BYTES) return null;
  const ciphertext = sealed.subarray(0, -GCM_TAG_BYTES);
  const message = new GcmMessage(key, iv);
  const expected = message.tag(aad, ciphertext);
  const isRight = equalBytes(expected, sealed.subarray(-GCM_TAG_BYTES));
  // The tag of a forged ciphertext is what the forger looks for.
  clean(expected);
  if (isRight) await nextTurn();
  const plaintext = isRight ? message.crypt(ciphertext) : null;
  message.destroy();
  return plaintext;
}
