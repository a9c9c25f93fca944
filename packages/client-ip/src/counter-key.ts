import { networkKey, parseIp } from '@sallyport/plugin-kit/addresses';

/** The size of the cache, at most 2 MB. Several limits need the key of the same request. A full cache is emptied. */
const MAX_CACHED_KEYS = 10_000;
const cachedKeys = new Map<string, string>();

/**
 * The key under which a rate limiter or a failure counter counts this address: IPv4 unchanged, IPv6 by its /64, so that
 * the 2^64 addresses of a subscriber share a counter. All spellings of an address have the same key. An IPv6 address
 * that contains the client's IPv4 address (NAT64 `64:ff9b::/96`, 6to4, Teredo) has the key of that address. Otherwise
 * all clients of a translator would share a counter, or one client would have many. Whitelists and audit records use
 * the full address instead.
 *
 * @example
 * ```ts
 * app.get('/', async (request) => {
 *   const key = counterKey(request.clientIp);
 *   hits.set(key, (hits.get(key) ?? 0) + 1);
 *   return { clientIp: request.clientIp, hits: hits.get(key) };
 * });
 * ```
 *
 * @throws TypeError if `ip` is not an address; `request.clientIp` always is
 */
export function counterKey(ip: string): string {
  // Plugins fill request.clientIp in the order of their registration; without client-ip it is undefined.
  if (!ip) throw new TypeError('request.clientIp is empty: register client-ip before this hook');
  const known = cachedKeys.get(ip);
  if (known !== undefined) return known;
  const address = parseIp(ip);
  if (address === null) throw new TypeError('counterKey takes an IP address, such as request.clientIp');
  const key = networkKey(address);
  if (cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.clear();
  cachedKeys.set(ip, key);
  return key;
}
