import { isSpace } from './characters.js';
import type { Report } from './spans.js';

/** Characters that neither a URL nor its credentials contain: blanks, controls, quotation marks, angle brackets. */
function endsUrl(unit: number): boolean {
  return unit <= 0x20 || unit === 0x22 || unit === 0x3c || unit === 0x3e || unit === 0x60 || isSpace(unit);
}

/** `/`, `?`, `#` and a backslash. */
function endsAuthority(unit: number): boolean {
  return unit === 0x2f || unit === 0x3f || unit === 0x23 || unit === 0x5c;
}

/** A stretch of the text without an end, and its last `@` (-1: none). */
interface Stretch {
  from: number;
  end: number;
  lastAt: number;
}

const PORT = /^\d{0,5}$/;

/** Schemes in which a user name without a password is a token. */
const WEB_SCHEME = /^(?:https?|wss?)$/i;

/** The longest scheme that is recognised. */
const MAX_SCHEME_LENGTH = 8;

/** A password which shows that the user name is a token. */
const TOKEN_USER = /^(?:x-oauth-basic|x)?$/;

/**
 * Reports the passwords of `scheme://user:password@host`, even if they contain characters that have to be encoded. Each
 * part of the text is read once, for any number of URLs.
 */
export function reportUrlCredentials(text: string, report: Report, isCut: boolean): void {
  const authority: Stretch = { from: 0, end: -1, lastAt: -1 };
  const url: Stretch = { from: 0, end: -1, lastAt: -1 };
  let nextColon = -1;
  for (let slashes = text.indexOf('//'); slashes !== -1; slashes = text.indexOf('//', slashes + 1)) {
    const start = slashes + 2;
    move(authority, start, (unit) => endsUrl(unit) || endsAuthority(unit));
    if (authority.lastAt >= start) reportUserInfo(start, authority.lastAt, schemeBefore(slashes));
    else reportBrokenPassword(start, schemeBefore(slashes));
  }

  function move(stretch: Stretch, start: number, isEnd: (unit: number) => boolean): void {
    if (start >= stretch.from && start <= stretch.end) return;
    stretch.from = start;
    stretch.lastAt = -1;
    let end = start;
    for (; end < text.length; end += 1) {
      const unit = text.charCodeAt(end);
      if (isEnd(unit)) break;
      if (unit === 0x40) stretch.lastAt = end;
    }
    stretch.end = end;
  }

  /** The first colon from `start` on, or the length of the text. Callers move on, so each part is searched once. */
  function colonFrom(start: number): number {
    if (nextColon < start) nextColon = text.indexOf(':', start);
    if (nextColon === -1) nextColon = text.length;
    return nextColon;
  }

  function schemeBefore(slashes: number): string {
    if (text[slashes - 1] !== ':') return '';
    return /[A-Za-z0-9+.-]*$/.exec(text.slice(Math.max(0, slashes - 1 - MAX_SCHEME_LENGTH), slashes - 1))?.[0] ?? '';
  }

  function reportUserInfo(start: number, at: number, scheme: string): void {
    const colon = colonFrom(start);
    const hasPassword = colon < at;
    const password = hasPassword ? text.slice(colon + 1, at) : '';
    const userEnd = hasPassword ? colon : at;
    if (userEnd > start && (hasPassword ? TOKEN_USER.test(password) : WEB_SCHEME.test(scheme))) report(start, userEnd);
    if (password !== '') report(colon + 1, at);
  }

  /** A password may contain `/`, `?` or `#`, which end the authority. After a port, only the scheme decides. */
  function reportBrokenPassword(start: number, scheme: string): void {
    const colon = colonFrom(start);
    if (colon >= authority.end || text[start] === '[') return;
    const isPort = PORT.test(text.slice(colon + 1, Math.min(authority.end, colon + 7)));
    if (isPort && (scheme === '' || WEB_SCHEME.test(scheme))) return;
    move(url, start, endsUrl);
    if (url.lastAt > authority.end) report(colon + 1, url.lastAt);
    else if (isCut && !isPort && url.end === text.length) report(colon + 1, text.length);
  }
}
