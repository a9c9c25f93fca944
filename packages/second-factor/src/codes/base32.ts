/** RFC 4648, section 6, without padding, as authenticator apps expect it. */
export const RFC4648_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Crockford's alphabet. It lacks I, L, O and U, so that people who copy it from paper confuse nothing. */
export const CROCKFORD_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Five bits a letter. The last letter is filled with zeros. */
export function toBase32(bytes: Uint8Array, alphabet: string): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    // At most four bits are left over, so that the buffer never exceeds twelve.
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + alphabet[(buffer << (5 - bits)) & 31];
}

/** The bytes of a text; null if it has other letters. Bits that fill no byte are left out. */
export function fromBase32(text: string, alphabet: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let buffer = 0;
  for (const letter of text) {
    const value = alphabet.indexOf(letter);
    if (value < 0) return null;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 255);
    }
  }
  return Buffer.from(bytes);
}
