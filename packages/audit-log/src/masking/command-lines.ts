import { isSecretName } from './sensitive-names.js';
import type { Report } from './spans.js';
import { FEATURES } from './text-features.js';
import { findValueEnds, type ValueEnds } from './value-ends.js';

/** `curl -u user:password`: the quotation mark in front of the user, and the user. */
const USER_OPTION = /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}(\\?["']?)[^\s:"']{0,128}:/g;

/** `--token x`. `--token=x` has a separator. */
const LONG_OPTION = /(?<![\w-])--([\p{L}][\p{L}\p{N}_-]{1,63})[ \t]{1,4}(?=[^\s-])/gu;

/** `mysql -pX`, `sshpass -p X`, `keytool -storepass X`, `redis-cli -a X`. */
const SHORT_OPTION =
  /\b(?:(?:mysql|mariadb)[\w-]{0,16}\b[^\n]{0,200}?\s-p|sshpass\s{1,4}-p\s{0,4}|redis-cli\b[^\n]{0,200}?\s-a\s{1,4})(?=\S)|(?<![\w-])-(?:password|passwd|pass|storepass|keypass|pwd)\s{1,4}(?=\S)/g;

/** SQL, the settings of Redis and of `.netrc`, and the commands of SMTP, which have a blank in front of the password. */
const WORDS =
  /\b(?:(?:password|passwd|identified\s{1,4}by(?:\s{1,4}password)?)\s{1,4}(?=["'])|login\s{1,4}(?!(?:and|by|or|the|via|with|without|your)\s)\S{1,128}\s{1,4}password\s{1,4}|(?:requirepass|masterauth)\s{1,4}|AUTH\s(?:PLAIN|LOGIN|XOAUTH2)\s{1,4})(?=\S)/gi;

/** `s:8:"password";s:7:"…"` of PHP's serialize, and `jdbc:oracle:thin:user/password@`. */
const SERIALIZED = /["']([\p{L}\p{N}_-]{2,64})\\?["'];s:\d{1,7}:(?=\\?["'])/gu;
const ORACLE = /:(?:thin|oci8?):[^\s/@:]{1,64}\/(?=[^\s@]{1,256}@)/g;

/** Whether WORDS can match: searching a short text is faster than a pattern. */
function hasWords(text: string): boolean {
  return ['ass', 'ASS', 'AUTH', 'erauth', 'dentified', 'DENTIFIED'].some((part) => text.includes(part));
}

/** Reports the secrets of command lines and of texts in which a blank stands between name and value. */
export function reportCommandLines(text: string, features: number, report: Report): void {
  let ends: ValueEnds | null = null;
  if (features & FEATURES.options) {
    for (const { index, 0: match, 1: mark = '' } of text.matchAll(USER_OPTION)) {
      ends ??= findValueEnds(text);
      const start = index + match.length;
      const end = mark === '' ? ends.bareEnd(start, 'word') : ends.quotedEnd(start, mark.slice(-1), mark.length - 1);
      if (end > start) report(start, end);
    }
    for (const { index, 0: match, 1: name = '' } of text.matchAll(LONG_OPTION))
      if (isSecretName(name)) reportValue(index + match.length);
    for (const { index, 0: match } of text.matchAll(SHORT_OPTION)) reportValue(index + match.length);
  }
  if (hasWords(text)) for (const { index, 0: match } of text.matchAll(WORDS)) reportValue(index + match.length);
  if (!(features & FEATURES.pairs)) return;
  if (text.includes(';s:')) {
    for (const { index, 0: match, 1: name = '' } of text.matchAll(SERIALIZED))
      if (isSecretName(name)) reportValue(index + match.length);
  }
  if (text.includes(':thin:') || text.includes(':oci')) {
    for (const { index, 0: match } of text.matchAll(ORACLE)) {
      const start = index + match.length;
      report(start, text.indexOf('@', start));
    }
  }

  function reportValue(start: number): void {
    ends ??= findValueEnds(text);
    const [from, end] = ends.valueAt(start, 'word');
    if (end > from) report(from, end);
  }
}
