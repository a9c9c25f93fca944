import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A parsed address: IPv4-mapped IPv6 has become IPv4. Its `toString()` is the canonical text. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** The longest: IPv6 with a dotted tail. */
const MAX_ADDRESS_CHARS = 45;

const DOTTED_TAIL = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/;

/** RFC 4291, section 2.5.4: one subscriber has at least a /64, and may use a new address of it for every guess. */
const SUBSCRIBER_PREFIX_BITS = 64;

/** RFC 6052, section 2.1: a stateless translator maps the whole IPv4 internet into this one /64. */
const TRANSLATED_IPV4: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * Parses one address, strictly: IPv4 in four decimal parts without leading zeros, since parsers disagree about
 * `010.0.0.1` and `0x7f.1`; IPv6 as in RFC 4291, section 2.2, without a zone. Null for anything else.
 */
export function parseIp(text: string): IpAddress | null {
  if (text.length > MAX_ADDRESS_CHARS) return null;
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
  return !text.includes('%') && isIPv6(text) ? ipaddr.process(withHexTail(text)) : null;
}

/** @throws TypeError that begins with `name`, such as `loginPolicy.explain: clientIp` */
export function requireIp(name: string, given: unknown): IpAddress {
  const address = typeof given === 'string' ? parseIp(given) : null;
  if (address === null) throw new TypeError(`${name} must be an IP address, such as request.ip`);
  return address;
}

/** `::1.2.3.4` is `::102:304` (RFC 4291, section 2.2), which ipaddr.js would read as the mapped `::ffff:1.2.3.4`. */
function withHexTail(address: string): string {
  const [, head, tail] = DOTTED_TAIL.exec(address) ?? [];
  if (head === undefined || tail === undefined) return address;
  const [a, b, c, d] = ipaddr.IPv4.parse(tail).octets as [number, number, number, number];
  return `${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** The text under which failures of an address are counted: IPv4 as it is, IPv6 by its /64. */
export function countedAddress(address: IpAddress): string {
  if (address.kind() === 'ipv4' || address.match(TRANSLATED_IPV4)) return address.toString();
  const subscriber = (address as ipaddr.IPv6).parts.slice(0, SUBSCRIBER_PREFIX_BITS / 16);
  return `${new ipaddr.IPv6([...subscriber, 0, 0, 0, 0])}/${SUBSCRIBER_PREFIX_BITS}`;
}
