import ipaddr from 'ipaddr.js';
import { parseIp } from './ip-address.js';

/** RFC 4291, section 2.5.4: one subscriber has at least a /64, and may use a fresh address of it for every request. */
const SUBSCRIBER_PREFIX_BITS = 64;

/** RFC 6052, section 2.1: the whole IPv4 internet, as a stateless translator shows it, inside one /64. */
const TRANSLATED_IPV4: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * The key under which a rate limiter or a failure counter counts this address: IPv4 as it is, IPv6 by its /64, so that
 * one subscriber's 2^64 addresses are one counter. Every spelling of an address has one key. Addresses that a
 * translator made of IPv4 (`64:ff9b::/96`) are counted one by one, or all of IPv4 would share a counter.
 * Whitelist and audit use the full address instead.
 *
 * @throws TypeError if `ip` is not an address; `request.clientIp` always is.
 */
export function counterKey(ip: string): string {
  const known = keys.get(ip);
  if (known !== undefined) return known;
  const key = keyOf(ip);
  if (keys.size >= KEYS_KEPT) keys.clear();
  keys.set(ip, key);
  return key;
}

/** Several limits ask for the key of one request, and one client sends many: some 2 MB at most. */
const KEYS_KEPT = 10_000;
const keys = new Map<string, string>();

function keyOf(ip: string): string {
  const address = parseIp(ip);
  if (address === null) throw new TypeError('counterKey takes an IP address, such as request.clientIp');
  if (address.kind() === 'ipv4' || address.match(TRANSLATED_IPV4)) return address.toString();
  const subscriber = (address as ipaddr.IPv6).parts.slice(0, SUBSCRIBER_PREFIX_BITS / 16);
  return `${new ipaddr.IPv6([...subscriber, 0, 0, 0, 0])}/${SUBSCRIBER_PREFIX_BITS}`;
}
