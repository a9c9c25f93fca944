import { isSecretName } from '../sensitive-names.js';
import type { Report } from './spans.js';
import { FEATURES } from './text-features.js';
import { findValueEnds, type ValueEnds } from './value-ends.js';

/** `curl -u user:password`: the quotation mark in front of the user, and the user. */
const USER_OPTION = /(?:(?<![\w-])(?:-[uU]|--(?:proxy-)?user)|\bhttps?\s{1,4}-a)[\s=]{0,4}(\\?["']?)[^\s:"']{0,128}:/g;

/** `--token x`, but not the `--token <token>` and `--token [token]` of manuals. `--token=x` has a separator. */
const LONG_OPTION = /(?<![\w-])--([\p{L}][\p{L}\p{N}_-]{1,63})[ \t]{1,4}(?=[^\s[<])(?!--)/gu;

/** `mysql -pX`, `sshpass -p X`, `docker login -p X`, `redis-cli -a X`, `curl -b X`, `keytool -storepass X`. */
const SHORT_OPTION =
  /\b(?:(?:mysql|mariadb)[\w-]{0,16}\b[^\n]{0,200}?\s-p|(?:sshpass|login\b[^\n]{0,200}?)\s{1,4}-p\s{0,4}|redis-cli\b[^\n]{0,200}?\s-a\s{1,4}|curl\b[^\n]{0,200}?\s-b\s{0,4})(?=\S)|(?<![\w-])-(?:password|passwd|pass|storepass|keypass|pwd)\s{1,4}(?=[^\s[<])/g;

/** SQL, the settings of Redis, `.netrc`, and the commands of SMTP, where a blank precedes the password. */
const WORDS =
  /\b(?:(?:password|passwd|passphrase|identified\s{1,4}by(?:\s{1,4}password)?)(?:\s{1,4}(?:is|was|for\s{1,4}\S{1,128}\s{1,4}=))?(?:\s{1,4}|\s{0,4}\(\s{0,4})(?=["'])|login\s{1,4}(?!(?:and|by|or|the|via|with|without|your)\s)\S{1,128}\s{1,4}password\s{1,4}|(?:requirepass|masterauth)\s{1,4}|AUTH\s(?:PLAIN|LOGIN|XOAUTH2)\s{1,4})(?=\S)/gi;

/** `ENV PASSWORD x` and `setx PASSWORD x`. */
const VARIABLE = /\b(?:ENV|ARG|setx)\s{1,4}([\p{L}\p{N}_]{2,64})\s{1,4}(?=\S)/gu;

/** Sentences of messages: `your code is 123456`, `验证码为123456`. */
const SAID =
  /\b(?:code|otp|password|pin)\s{1,4}(?:is|was)\s{1,4}(?=\d{4,})|(?:密[码碼]|口令|[验驗][证證][码碼]|校验码|动态码)(?:(?:是|为|為)\s{0,4}(?=[!-~“‘「『])|\s{0,4}(?=\d{4,}))/gi;

/**
 * Prose: `the password is hunter2`, `the password is: x`. Any word after a colon is the value. Without one, a value has
 * letters and digits, because most words are no passwords (`is required`). Names of formats (`is SHA256`) and lengths
 * (`is 8-digit`) are no values either.
 */
const PROSE =
  /\b(?:pass(?:word|wd|code|phrase)|pwd|secret|token|api[ -]?key)\s{1,4}(?:(?:is|was)(?:\s{1,4}now)?\s{0,4}[:：]\s{0,4}(?=\S)|(?:is|was|(?:(?:is|was|(?:has|have)\s{1,4}been)\s{1,4})?(?:set|changed|reset)\s{1,4}to)\s{1,4}(?=[^\s\d]{0,64}\d)(?=[^\sa-z]{0,64}[a-z])(?=\S{6})(?!\(?(?:sha|base|utf|md|sm|aes|rsa|argon|pbkdf|rfc|iso|oauth|v)-?\d|\d{1,4}[ -]?(?:char|digit|bit|byte|letter|day|hour|min|sec|ms\b)|[a-z]+\d*\())/gi;

/** `s:8:"password";s:7:"…"` of PHP's serialize, and `jdbc:oracle:thin:user/password@`. */
const SERIALIZED = /["']([\p{L}\p{N}_-]{2,64})\\?["'];s:\d{1,7}:(?=\\?["'])/gu;
const ORACLE = /:(?:thin|oci8?):[^\s/@:]{1,64}\/(?=[^\s@]{1,256}@)/g;

/** Parts of WORDS and SAID, because searching a short text is faster than a pattern. */
const PARTS_OF_WORDS = ['ass', 'ASS', 'AUTH', 'erauth', 'dentified', 'DENTIFIED'];
const PARTS_OF_SAID = [' is ', ' was ', '码', '碼', '口令'];
const PARTS_OF_PROSE = ['ass', 'pwd', 'oken', 'ecret', 'key'];

const SENTENCES = [
  [PARTS_OF_WORDS, WORDS],
  [PARTS_OF_SAID, SAID],
] as const;

/** Reports the secrets of command lines and of texts with a blank between name and value. */
export function reportCommandLines(text: string, features: number, report: Report): void {
  let ends: ValueEnds | null = null;
  if (features & FEATURES.options) {
    for (const { index, 0: match, 1: mark = '' } of text.matchAll(USER_OPTION)) {
      ends ??= findValueEnds(text);
      const start = index + match.length;
      const end = mark === '' ? ends.bareEnd(start, 'word') : ends.quotedEnd(start, mark.slice(-1), mark.length - 1);
      if (end > start) report(start, end);
    }
    reportAfterName(LONG_OPTION);
    reportAfter(SHORT_OPTION);
  }
  for (const [parts, pattern] of SENTENCES) {
    if (parts.some((part) => text.includes(part))) reportAfter(pattern);
  }
  if (features & FEATURES.prose && PARTS_OF_PROSE.some((part) => text.includes(part))) reportAfter(PROSE);
  if (text.includes('ENV ') || text.includes('ARG ') || text.includes('setx ')) reportAfterName(VARIABLE);
  if (!(features & FEATURES.pairs)) return;
  if (text.includes(';s:')) reportAfterName(SERIALIZED);
  if (text.includes(':thin:') || text.includes(':oci')) {
    for (const { index, 0: match } of text.matchAll(ORACLE)) {
      const start = index + match.length;
      report(start, text.indexOf('@', start));
    }
  }

  function reportAfter(pattern: RegExp): void {
    for (const { index, 0: match } of text.matchAll(pattern)) reportValue(index + match.length);
  }

  function reportAfterName(pattern: RegExp): void {
    for (const { index, 0: match, 1: name = '' } of text.matchAll(pattern))
      if (isSecretName(name)) reportValue(index + match.length);
  }

  function reportValue(start: number): void {
    ends ??= findValueEnds(text);
    const [from, end] = ends.valueAt(start, 'word');
    if (end > from) report(from, end);
  }
}
