import { type IpAddress, parseIpWithPort } from '@sallyport/plugin-kit/addresses';

/**
 * The maximum number of entries of a header that are read, from the right. Real chains have one to four proxies. The
 * bound limits the work for a header of any size to 32 short texts.
 */
const MAX_HOPS = 32;

/** The maximum length of an address with zone, brackets, port and quotes, in characters. */
const MAX_ENTRY_CHARS = 96;

const QUOTED = /^"(.*)"$/;

/**
 * The client of an X-Forwarded-For chain: from the right, the first address that isn't a trusted proxy. Each entry was
 * appended by the hop to its right, so it is read only if that hop is trusted. Entries that the client itself wrote are
 * further left and are never read. If every entry is a trusted proxy, the left-most is the client.
 *
 * Null if an entry on the way can't be read (an empty one included), or if there are more than {@link MAX_HOPS}:
 * no trusted proxy vouches for the entries to the left of it.
 */
export function clientOfChain(chain: string, isTrusted: (address: IpAddress) => boolean): IpAddress | null {
  let end = chain.length;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
    const address = parseForwardedEntry(chain.slice(comma + 1, end));
    if (address === null || comma === -1 || !isTrusted(address)) return address;
    end = comma;
  }
  return null;
}

/**
 * An address as proxies write it: bare, `1.2.3.4:5678`, `[2001:db8::1]`, `[2001:db8::1]:443`, each with or without
 * quotes and white space.
 */
export function parseForwardedEntry(entry: string): IpAddress | null {
  const trimmed = entry.trim();
  if (trimmed.length > MAX_ENTRY_CHARS) return null;
  return parseIpWithPort(QUOTED.exec(trimmed)?.[1]?.trim() ?? trimmed);
}
