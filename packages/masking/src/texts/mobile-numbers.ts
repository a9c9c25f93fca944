import { MASK } from './spans.js';

/** Separators that people write between two groups of digits. */
const GAP = '\\)?[ .-]?\\(?';

const YEAR = '(?:19|20)\\d\\d';
const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12]\\d|3[01])';
const DATE = `(?:${YEAR}[.-]${MONTH}[.-]${DAY}|${DAY}[.-]${MONTH}[.-]${YEAR})(?!\\d)`;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';

/** Texts after a `+` that is a sign, or that a form has for a blank. */
const AFTER_SIGN = [
  DATE,
  // An address of IPv4.
  `(?:${OCTET}\\.){3}${OCTET}(?![\\d.])`,
  // Amounts: with groups of thousands, with one or two decimals, and two in a row.
  '\\d{1,3}(?:[ .]\\d{3}){1,2}[.,]\\d\\d(?![\\d.])',
  '\\d{4,12}\\.\\d{1,2}(?![\\d.]|[ ()-]{1,2}\\d)',
  '\\d{1,2}(?:[ .]\\d{3}){2}(?![ .]?\\d)',
  '\\d{1,7}\\.\\d\\d [+-]?\\d{1,9}\\.\\d\\d(?![\\d.])',
  // The lines that a change adds and removes.
  '\\d{1,6} -\\d{1,6}(?![ .()-]{0,2}\\d)',
  // An offset from UTC in front of something else. No number begins so.
  '1(?:[01][03]0|[2-4]00|245) ',
].join('|');

/** Numbers that are complete without separators: those of North America, Britain, India and China, and long ones. */
const COMPLETE = '(?:1\\d{10}|(?:44|91)\\d{10}|86\\d{11}|\\d{13,15})(?!\\d)';

/**
 * E.164, also as people write it. No country's code begins with 0. A number ends in front of a date and a time, and
 * where it is complete.
 */
const INTERNATIONAL = [
  `\\+${COMPLETE}`,
  `(?<!\\d|\\d[eE]|UTC|GMT)\\+(?!${AFTER_SIGN})` +
    `\\(?[1-9](?:(?! ${DATE}| (?:[01]?\\d|2[0-3]):[0-5]\\d)[ .()-]{0,2}\\d){7,14}(?!\\d)`,
  '\\+\\d{8,12}(?!\\d)',
].join('|');

/** Numbers and dates that have as many digits as a mobile number of China. */
const NOT_CHINESE = [
  '\\d{3}\\.\\d{8}(?!\\d)',
  '\\d{7}\\.\\d{4}(?!\\d)',
  '\\d{3}\\.\\d{4}\\.\\d{4}\\.\\d',
  `\\d{3}[ -]20\\d\\d${MONTH}${DAY}(?!\\d)`,
].join('|');

const CHINESE =
  `(?<![\\dA-Za-z.-])(?!${NOT_CHINESE})(?:\\(?(?:00)?86${GAP})?` +
  `(?:\\((?=1\\d\\d\\)))?1[3-9]\\d${GAP}\\d{4}${GAP}\\d{4}(?:(?<=\\(\\d{4})\\))?(?![\\dA-Za-z])`;

/**
 * E.164, with up to two of ` .()-` between digits, and mobile numbers of China, with any separators and parentheses
 * around their three groups.
 */
export const MOBILE = new RegExp(`${INTERNATIONAL}|${CHINESE}`, 'g');

const MASKED_MOBILE = /^\+?\d{0,5}\*{4}\d{4}$/;

/** Keeps the last four digits and at most the first five: enough to recognise the number, not enough to call it. */
export function maskMobile(number: string): string {
  if (MASKED_MOBILE.test(number)) return number;
  const digits = number.replace(/\D/g, '');
  if (digits.length < 8) return MASK;
  const head = digits.slice(0, Math.min(5, digits.length - 8));
  return `${number.startsWith('+') ? '+' : ''}${head}****${digits.slice(-4)}`;
}
