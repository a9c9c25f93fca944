import ipaddr from 'ipaddr.js';
import { parseIp } from './ip-address.js';

/** RFC 4291, section 2.5.4: one subscriber has at least a /64, and may use a new address of it for every request. */
const SUBSCRIBER_PREFIX_BITS = 64;

/** RFC 6052, section 2.1: a stateless translator maps the whole IPv4 internet into this one /64. */
const TRANSLATED_IPV4: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Several limits ask for the key of one request. A full cache is emptied: 2 MB at most. */
const MAX_CACHED_KEYS = 10_000;
const cachedKeys = new Map<string, string>();

/**
 * The key under which a rate limiter or a failure counter counts this address: IPv4 as it is, IPv6 by its /64, so that
 * the 2^64 addresses of one subscriber share a counter. Every spelling of an address has one key. IPv4 addresses behind
 * a translator (`64:ff9b::/96`) have a key each: otherwise all of IPv4 would share a counter. Whitelists and audit
 * records use the full address instead.
 *
 * @throws TypeError if `ip` is not an address; `request.clientIp` always is
 */
export function counterKey(ip: string): string {
  // Plugins fill request.clientIp in the order of their registration; without client-ip it is undefined.
  if (!ip) throw new TypeError('request.clientIp is empty: register client-ip before this hook');
  const known = cachedKeys.get(ip);
  if (known !== undefined) return known;
  const key = keyOf(ip);
  if (cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.clear();
  cachedKeys.set(ip, key);
  return key;
}

function keyOf(ip: string): string {
  const address = parseIp(ip);
  if (address === null) throw new TypeError('counterKey takes an IP address, such as request.clientIp');
  if (address.kind() === 'ipv4' || address.match(TRANSLATED_IPV4)) return address.toString();
  const subscriber = (address as ipaddr.IPv6).parts.slice(0, SUBSCRIBER_PREFIX_BITS / 16);
  return `${new ipaddr.IPv6([...subscriber, 0, 0, 0, 0])}/${SUBSCRIBER_PREFIX_BITS}`;
}
