import { kindOfName } from './sensitive-names.js';

/** What stands where a secret was. */
export const MASK = '[masked]';

/** RFC 7468, to the end mark or, where that is cut off, to the end. Public keys go with them: nobody searches for one. */
const PEM_KEY = /-----BEGIN [A-Z0-9 ]{0,40}KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}KEY-----|$)/g;

/** `Authorization: Bearer …` wherever it is quoted. */
const AUTHORIZATION = /\b(bearer|basic|digest)(\s+|%20|\+)[A-Za-z0-9._~+/=-]{6,}/gi;

/** Lines of HTTP whose value has parts: `Cookie: a=1; b=2`. */
const HEADER_LINE =
  /(?<![\p{L}\p{N}_-])((?:set-)?cookie|(?:proxy-)?authorization)(\s{0,4}:\s{0,4})(?!["'\\])[^\r\n]+/giu;

/** RFC 7515, RFC 7516: a JOSE header in base64url begins so. */
const JOSE = /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}/g;

/** Password hashes by their own marks: BCrypt, and PHC strings of Argon2, scrypt and PBKDF2. */
const PASSWORD_HASH = /\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{22,}|(?:argon2|scrypt|pbkdf2)[^\s"']{8,})/g;

/** Secrets of 20 bytes and more. A UUID without hyphens has 32 digits, and stays. */
const LONG_HEX = /(?<![0-9A-Za-z])[0-9a-fA-F]{40,}(?![0-9A-Za-z])/g;

/** 30 bytes and more. A UUID has 36 characters, and stays. */
const LONG_BASE64 = /[A-Za-z0-9_+/-]{40,}={0,2}/g;

/** `password=…`, `"smsCode": "…"`, also escaped in a text within a text. The name is judged as that of a member is. */
const NAMED_VALUE =
  /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]{2,64})(\\?["']?\s{0,4}[:=]\s{0,4})(\\?"[^"]*"?|'[^']*'?|[^\s,;&"'{}[\]]+)/gu;

/** E.164, and mobile numbers of China as people write them. */
const MOBILE = /\+\d{8,15}(?!\d)|(?<![\dA-Za-z.-])(?:86)?1[3-9]\d([ -]?)\d{4}\1\d{4}(?![\dA-Za-z])/g;

/** Texts shorter than this have room for neither a token nor a mobile number. */
const SHORTEST_SECRET = 6;

/** What paths, names, addresses and codes are mostly made of. Of what is masked only three kinds are, too. */
const ORDINARY = /^[A-Za-z0-9_/.-]{0,39}$/;
const HAS_JOSE_OR_MOBILE = /eyJ|\d{11}|\d{3}-\d{4}-\d{4}/;

/** Whether a text is too short, or of too few kinds of characters, for any of the patterns: most texts are. */
function hasNoRoom(text: string): boolean {
  return text.length < SHORTEST_SECRET || (ORDINARY.test(text) && !HAS_JOSE_OR_MOBILE.test(text));
}

/** A text without what looks like a secret in it, and with mobile numbers in part. */
export function maskText(text: string): string {
  if (hasNoRoom(text)) return text;
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

/** The last four digits, and at most five of those before the four that are hidden: enough to tell whose it is, not enough to call it. */
export function maskMobile(number: string): string {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 8) return MASK;
  const head = digits.slice(0, Math.min(5, digits.length - 8));
  return `${number.startsWith('+') ? '+' : ''}${head}****${digits.slice(-4)}`;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** What people and programs write between separators: `Report`, `report`, `REPORT`, `2026`. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/;

/** How many characters have to be of no words: more than an odd abbreviation has. */
const LEAST_RANDOM_LENGTH = 16;

/** Names in camel case change between kinds of characters once in five characters; random bytes in base64 do so two times in three. */
const LEAST_RANDOM_CHANGES = 0.25;

function looksRandom(run: string): boolean {
  const oddities = run
    .replace(UUID, '-')
    .split(/[-_+/=]/)
    .filter((part) => !WORD.test(part));
  const length = oddities.reduce((sum, part) => sum + part.length, 0);
  const changes = oddities.reduce((sum, part) => sum + changesIn(part), 0);
  return length >= LEAST_RANDOM_LENGTH && changes / length >= LEAST_RANDOM_CHANGES;
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
