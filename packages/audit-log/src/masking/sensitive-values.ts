import { kindOfName } from './sensitive-names.js';

/** Replaces a secret. */
export const MASK = '[masked]';

/** RFC 7468, up to the end mark or, where that is cut off, to the end of the text. Public keys are masked as well. */
const PEM_KEY = /-----BEGIN [A-Z0-9 ]{0,40}KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}KEY-----|$)/g;

/** The credentials of `Authorization: Bearer …`, anywhere in a text. */
const AUTHORIZATION = /\b(bearer|basic|digest)(\s+|%20|\+)[A-Za-z0-9._~+/=-]{6,}/gi;

/** HTTP header lines whose value has several parts: `Cookie: a=1; b=2`. */
const HEADER_LINE =
  /(?<![\p{L}\p{N}_-])((?:set-)?cookie|(?:proxy-)?authorization)(\s{0,4}:\s{0,4})(?!["'\\])[^\r\n]+/giu;

/** RFC 7515, RFC 7516: a JOSE header in base64url begins with `eyJ`. */
const JOSE = /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}/g;

/** Password hashes by their prefixes: BCrypt, and PHC strings of Argon2, scrypt and PBKDF2. */
const PASSWORD_HASH = /\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{22,}|(?:argon2|scrypt|pbkdf2)[^\s"']{8,})/g;

/** 20 bytes and more. A UUID without hyphens has 32 digits and is not masked. */
const LONG_HEX = /(?<![0-9A-Za-z])[0-9a-fA-F]{40,}(?![0-9A-Za-z])/g;

/** 30 bytes and more. A UUID has 36 characters and is not masked. */
const LONG_BASE64 = /[A-Za-z0-9_+/-]{40,}={0,2}/g;

/** `password=…`, `"smsCode": "…"`, also escaped in a nested text. The name is judged as the name of a member is. */
const NAMED_VALUE =
  /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]{2,64})(\\?["']?\s{0,4}[:=]\s{0,4})(\\?"[^"]*"?|'[^']*'?|[^\s,;&"'{}[\]]+)/gu;

/** E.164, and mobile numbers of China as people write them. */
const MOBILE = /\+\d{8,15}(?!\d)|(?<![\dA-Za-z.-])(?:86)?1[3-9]\d([ -]?)\d{4}\1\d{4}(?![\dA-Za-z])/g;

/** Shorter texts contain neither a token nor a mobile number. */
const MIN_SECRET_LENGTH = 6;

/**
 * The characters of most paths, names, addresses and codes. Of the patterns, only JOSE and MOBILE match such a text.
 */
const ORDINARY = /^[A-Za-z0-9_/.-]{0,39}$/;
const HAS_JOSE_OR_MOBILE = /eyJ|\d{11}|\d{3}-\d{4}-\d{4}/;

/** A fast path: whether none of the patterns can match. That is so for most texts. */
function cannotMatch(text: string): boolean {
  return text.length < MIN_SECRET_LENGTH || (ORDINARY.test(text) && !HAS_JOSE_OR_MOBILE.test(text));
}

/** The text with everything masked that looks like a secret. Mobile numbers are kept in part. */
export function maskText(text: string): string {
  if (cannotMatch(text)) return text;
  return text
    .replace(PEM_KEY, MASK)
    .replace(HEADER_LINE, (_, name: string, between: string) => `${name}${between}${MASK}`)
    .replace(AUTHORIZATION, (_, scheme: string) => `${scheme} ${MASK}`)
    .replace(NAMED_VALUE, (whole, name: string, between: string) =>
      kindOfName(name) === 'secret' ? `${name}${between}${MASK}` : whole,
    )
    .replace(JOSE, MASK)
    .replace(PASSWORD_HASH, MASK)
    .replace(LONG_HEX, MASK)
    .replace(LONG_BASE64, (run) => (looksRandom(run) ? MASK : run))
    .replace(MOBILE, (number) => maskMobile(number));
}

/** Keeps the last four digits and at most the first five: enough to recognise the number, not enough to call it. */
export function maskMobile(number: string): string {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 8) return MASK;
  const head = digits.slice(0, Math.min(5, digits.length - 8));
  return `${number.startsWith('+') ? '+' : ''}${head}****${digits.slice(-4)}`;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Words between separators: `Report`, `report`, `REPORT`, `2026`. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/;

/** A run counts as random from this many characters outside of words: more than unusual abbreviations have. */
const MIN_RANDOM_LENGTH = 16;

/** Changes between kinds of characters, per character: about 0.2 in camel case names, 0.67 in random base64. */
const MIN_RANDOM_CHANGES = 0.25;

function looksRandom(run: string): boolean {
  const oddities = run
    .replace(UUID, '-')
    .split(/[-_+/=]/)
    .filter((part) => !WORD.test(part));
  const length = oddities.reduce((sum, part) => sum + part.length, 0);
  const changes = oddities.reduce((sum, part) => sum + changesIn(part), 0);
  return length >= MIN_RANDOM_LENGTH && changes / length >= MIN_RANDOM_CHANGES;
}

function changesIn(text: string): number {
  let changes = 0;
  for (let index = 1; index < text.length; index += 1) {
    if (characterKind(text.charCodeAt(index)) !== characterKind(text.charCodeAt(index - 1))) changes += 1;
  }
  return changes;
}

function characterKind(unit: number): number {
  if (unit <= 0x39) return 0;
  return unit <= 0x5a ? 1 : 2;
}
