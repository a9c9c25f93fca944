/** SM2 or SM4-GCM input that doesn't open: one error, one message, for every cause, so that it tells an attacker nothing. */
export class DecryptionFailedError extends Error {
  override readonly name = 'DecryptionFailedError';

  constructor() {
    super('decryption failed');
  }
}
