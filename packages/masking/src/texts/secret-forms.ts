import { isNameUnit } from './characters.js';
import { MOBILE, maskMobile } from './mobile-numbers.js';
import type { Report } from './spans.js';
import { FEATURES } from './text-features.js';

/** RFC 7468, up to the end mark or, if that is cut off, to the end of the text. Public keys are masked as well. */
const PEM_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----|$)/g;

/** The credentials of `Authorization: Bearer …`, anywhere in a text. */
const AUTHORIZATION = /\b((?:bearer|basic|digest)(?:\s+|%20|\+))[A-Za-z0-9._~+/=-]{6,}/gi;

/** Units of RFC 7515 and RFC 7516 in compact form. */
const JOSE_RUN = /[A-Za-z0-9_.-]{12,}/g;

/** A JOSE header in base64url begins with `eyJ`, an object in JSON. */
const JOSE_BEGIN = 'eyJ';
const MIN_JOSE_HEADER = 11;

/** Password hashes by their prefixes: BCrypt, SHA-crypt, and PHC strings of Argon2, scrypt and PBKDF2. */
const PASSWORD_HASH =
  /\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{22,}|[156]\$[^\s"':]{20,}|(?:argon2|scrypt|pbkdf2)[^\s"']{8,})/g;

/** 20 bytes and more. A UUID without hyphens has 32 digits and is not masked. */
const LONG_HEX = /(?<![0-9A-Za-z])[0-9a-fA-F]{40,}(?![0-9A-Za-z])/g;

/** 30 bytes and more. A UUID has 36 characters and is not masked. */
const LONG_BASE64 = /[A-Za-z0-9_+/-]{40,}={0,2}/g;

/**
 * Keys with a prefix of their issuer: AWS, GitHub, GitLab, Stripe, Slack, Google, npm, PyPI, SendGrid, Hugging Face,
 * OpenAI, Anthropic, DigitalOcean, Shopify, Telegram and age. And the addresses of webhooks of Slack and Discord.
 */
const KEY_WITH_PREFIX =
  /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}|(?:gh[opsur]_|github_pat_|glpat-|[rs]k_(?:live|test)_|whsec_|xox[a-z]-|xapp-|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|shp(?:at|ca|pa|ss)_|sk-(?:ant-|proj-|svcacct-)?|SG\.)[A-Za-z0-9_.-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{20,})|(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}|(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]{16,}|(?<=\/api\/webhooks\/)\d{8,}\/[A-Za-z0-9_-]{16,}/g;

/** Shorter texts contain neither a named value nor a token nor a mobile number. */
const MIN_SECRET_LENGTH = 4;

/** The length of the shortest secret that is recognised by its form: a mobile number. */
const MIN_FORM_LENGTH = 11;

/**
 * The characters of most paths, names, addresses and codes. Of the patterns, only JOSE, MOBILE and KEY_WITH_PREFIX, and
 * the one of JSON in file names match such a text.
 */
const ORDINARY = /^[A-Za-z0-9_/.-]{0,39}$/;
const HAS_ORDINARY_SECRET =
  /___|eyJ|\d{3}[.-]?\d{4}[.-]?\d{4}|A[KS]IA|gh[opsur]_|_pat_|glpat|k_(?:live|test)|whsec|xox|xapp|AIza|ya29|npm_|pypi|hf_|shp|sk-|SG\./;

/** A fast path: whether nothing in the text can be a secret, which is true for most texts. */
export function hasNoSecret(text: string): boolean {
  if (text.length < MIN_SECRET_LENGTH) return true;
  return ORDINARY.test(text) && (text.length < MIN_FORM_LENGTH || !HAS_ORDINARY_SECRET.test(text));
}

/** `Bearer`, `basic`, `DIGEST`: their first letters. */
const HAS_SCHEME = /[bB][eaEA][aAsS]|[dD][iI][gG][eE]/;

/** Reports texts that look like a secret, regardless of their name. */
export function reportSecretForms(text: string, features: number, report: Report): void {
  const reportAll = (pattern: RegExp): void => {
    for (const { index, 0: match } of text.matchAll(pattern)) report(index, index + match.length);
  };
  if (features & FEATURES.run) reportAll(KEY_WITH_PREFIX);
  if (text.includes('-----BEGIN')) reportAll(PEM_KEY);
  if (HAS_SCHEME.test(text)) {
    for (const { index, 0: match, 1: scheme = '' } of text.matchAll(AUTHORIZATION))
      report(index + scheme.length, index + match.length);
  }
  if (text.includes(JOSE_BEGIN)) reportJose(text, report);
  if (features & FEATURES.dollar) reportAll(PASSWORD_HASH);
  if (features & FEATURES.longRun) {
    reportAll(LONG_HEX);
    for (const { index, 0: run } of text.matchAll(LONG_BASE64)) if (looksRandom(run)) report(index, index + run.length);
  }
  if (features & FEATURES.digits) {
    for (const { index, 0: number } of text.matchAll(MOBILE)) report(index, index + number.length, maskMobile(number));
  }
}

/** Each run of characters is read once. A single pattern would read the end of a run for each beginning. */
function reportJose(text: string, report: Report): void {
  for (const { index, 0: run } of text.matchAll(JOSE_RUN)) {
    let start = run.indexOf(JOSE_BEGIN);
    while (start > 0 && isWordUnit(run.charCodeAt(start - 1))) start = run.indexOf(JOSE_BEGIN, start + 1);
    if (start === -1) continue;
    // The header, without a dot, is followed by one.
    const dot = run.indexOf('.', start + MIN_JOSE_HEADER);
    if (dot !== -1 || run.length - start > MIN_JOSE_HEADER) report(index + start, index + run.length);
  }
}

function isWordUnit(unit: number): boolean {
  return isNameUnit(unit) && unit !== 0x2d && unit !== 0x2e;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Matches words between separators: `Report`, `report`, `REPORT`, `2026`. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/;

/** A run counts as random from this many characters outside of words, which is more than unusual abbreviations have. */
const MIN_RANDOM_LENGTH = 16;

/**
 * The threshold of changes between kinds of characters, per character: about 0.2 in camel case names, 0.67 in random
 * base64.
 */
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
