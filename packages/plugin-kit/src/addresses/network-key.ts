import ipaddr from 'ipaddr.js';
import type { IpAddress } from './ip-address.js';

/** RFC 4291, section 2.5.4: a subscriber has at least a /64, and may use a new address of it for every request. */
const SUBSCRIBER_PREFIX_BITS = 64;

type Prefix = [ipaddr.IPv6, number];
const prefix = (text: string): Prefix => ipaddr.parseCIDR(text) as Prefix;

/** RFC 6052, section 2.1: a translator maps the whole IPv4 internet into this one /64. */
const NAT64 = prefix('64:ff9b::/96');

/** RFC 8215: the same within one network. Its operator chooses the position of the IPv4 address. */
const LOCAL_NAT64 = prefix('64:ff9b:1::/48');

/** RFC 3056: each IPv4 address has a /48, which has 65 536 networks of subscriber size. */
const SIX_TO_FOUR = prefix('2002::/16');

/** RFC 4380: all clients of one Teredo server share a /64, and each client has an address for each of its ports. */
const TEREDO = prefix('2001::/32');

/**
 * The text under which an address is counted. One client does not have many keys, and a translation does not give many
 * clients the same key. An IPv4 address is its own key. An IPv6 address has that of its network: by default the /64 of
 * one subscriber. If it contains the client's IPv4 address (`64:ff9b::/96`, 6to4, Teredo), it has the key of that
 * address. An address of `64:ff9b:1::/48` is its own key.
 *
 * @param prefixBits of IPv6 networks, such as 48 for a site (RFC 6177)
 *
 * @example
 * ```ts
 * const keyOf = (text: string) => networkKey(parseIp(text)!);
 * assert.equal(keyOf('::ffff:192.0.2.7'), '192.0.2.7');
 * assert.equal(keyOf('2001:DB8:1:2::7'), '2001:db8:1:2::/64');
 * ```
 */
export function networkKey(address: IpAddress, prefixBits: 48 | 64 = SUBSCRIBER_PREFIX_BITS): string {
  if (!isIpv6(address) || address.match(LOCAL_NAT64)) return address.toString();
  const { parts } = address;
  if (address.match(NAT64)) return ipv4Of(parts[6]!, parts[7]!);
  if (address.match(SIX_TO_FOUR)) return ipv4Of(parts[1]!, parts[2]!);
  // RFC 4380, section 4: each bit of the address is inverted.
  if (address.match(TEREDO)) return ipv4Of(parts[6]! ^ 0xffff, parts[7]! ^ 0xffff);
  const kept = parts.slice(0, prefixBits / 16);
  return `${new ipaddr.IPv6([...kept, ...Array<number>(8 - kept.length).fill(0)])}/${prefixBits}`;
}

function isIpv6(address: IpAddress): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
