import type { ParseUrl } from '../connection/index.js';

/**
 * A name whose last label begins with a letter, or an IPv4 address in its usual form. Hosts with two forms are
 * excluded.
 */
const HOST = '(?:[a-z0-9-]+\\.)*[a-z][a-z0-9-]*|(?:0|[1-9]\\d{0,2})(?:\\.(?:0|[1-9]\\d{0,2})){3}';

/** Scheme, host, port, path, query and fragment. Path and query have only characters that no URL parser changes. */
const URL_SHAPE = new RegExp(
  `^(https?:)//(${HOST})(?::(0|[1-9]\\d{0,4}))?(/[\\w!$%&()*+,./:;=@~'-]*)?(\\?[\\w!$%&()*+,./:;=?@~'-]*)?(#.*)?$`,
);

const MAX_PORT = 65_535;

/**
 * Parses a URL in plain ECMAScript. It accepts only URLs that every parser reads in the same way, because the transport
 * has its own parser: no capitals in the host, no `.` or `..` segments, no backslashes.
 */
export const parseStrictUrl: ParseUrl = (text) => {
  const escaped = text.replace(/[^\0-\x7f]+/g, encodeURIComponent);
  const [href, protocol = '', hostname = '', given = '', pathname = '/', query = '', hash = ''] =
    URL_SHAPE.exec(escaped) ?? [];
  if (href === undefined || Number(given) > MAX_PORT || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(pathname)) {
    throw new TypeError('not a URL in normal form; give parseUrl for others');
  }
  const port = given === (protocol === 'http:' ? '80' : '443') ? '' : given;
  // Every URL parser encodes this in a query, but not in a path.
  const search = query.replace(/'/g, '%27');
  const origin = `${protocol}//${hostname}${port && `:${port}`}`;
  return { href: origin + pathname + search + hash, protocol, hostname, port, origin, pathname, search, hash };
};
