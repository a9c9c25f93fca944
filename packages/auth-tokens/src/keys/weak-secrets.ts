/** RFC 7518, 3.2: a key of the size of the hash output or larger. */
export const MIN_SECRET_BYTES = 32;

const MIN_SECRET_BITS = MIN_SECRET_BYTES * 8;

/** 32 random bytes have about 30 different values, 64 random hexadecimal digits all 16 (under 10: once in 10^9). */
const MIN_DIFFERENT_BYTES = 10;

/** Long enough that a random secret contains none of them (once in 10^7). */
const SAMPLE_WORDS = new RegExp(
  [
    ...['secret', 'change[-_ ]?me', 'password', 'passphrase', 'example', 'sample', 'default', 'placeholder'],
    ...['insecure', 'letmein', 'qwerty', 'sallyport', 'replace'],
  ].join('|'),
  'i',
);

/** RFC 7515, A.1: the HMAC key of the specification's example, and of many tutorials. */
const SAMPLE_SECRET = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

const ALPHABETS = [
  { form: /^(?:[0-9a-f]*|[0-9A-F]*)$/, size: 16 },
  { form: /^(?:[0-9a-z]*|[0-9A-Z]*)$/, size: 36 },
  { form: /^[0-9A-Za-z+/_-]*$/, size: 64 },
  { form: PRINTABLE_ASCII, size: 95 },
];

/**
 * Why a shared secret is too short or not random. Null if no weakness is found. The text contains no part of the
 * secret.
 */
export function secretWeakness(secret: Buffer): string | null {
  const text = secret.toString('latin1');
  if (secret.length < MIN_SECRET_BYTES) return `has fewer than ${MIN_SECRET_BYTES} bytes`;
  if (isSample(text, secret)) return 'is a sample secret';
  if (new Set(secret).size < MIN_DIFFERENT_BYTES || isRepeated(text) || isProgression(secret)) return 'is not random';
  if (PRINTABLE_ASCII.test(text) && bitsOfText(text) < MIN_SECRET_BITS) {
    return `is a text that holds fewer than ${MIN_SECRET_BITS} random bits`;
  }
  return null;
}

function isSample(text: string, secret: Buffer): boolean {
  return SAMPLE_WORDS.test(text) || text === SAMPLE_SECRET || secret.toString('base64url') === SAMPLE_SECRET;
}

/** A repeated block occurs in the doubled text before its end. */
function isRepeated(text: string): boolean {
  return `${text}${text}`.indexOf(text, 1) < text.length;
}

function isProgression(secret: Buffer): boolean {
  const step = (index: number) => ((secret[index] ?? 0) - (secret[index - 1] ?? 0)) & 0xff;
  return secret.every((_, index) => index === 0 || step(index) === step(1));
}

/**
 * An upper bound, as if each character were random, from the smallest usual alphabet that contains all of them. A
 * missing kind of character proves nothing: one base64 text in 1400 has no digit.
 */
function bitsOfText(text: string): number {
  const characters = text.replace(/=+$/, '');
  const alphabet = ALPHABETS.find(({ form }) => form.test(characters));
  return characters.length * Math.log2(alphabet?.size ?? 1);
}
