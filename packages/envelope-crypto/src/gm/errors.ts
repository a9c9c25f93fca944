/** SM2 or SM4-GCM input does not open. Every cause has the same message, so that an attacker learns nothing. */
export class DecryptionFailedError extends Error {
  override readonly name = 'DecryptionFailedError';

  constructor() {
    super('decryption failed');
  }
}
