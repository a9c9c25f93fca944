import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 4291, section 2.5.4: one subscriber has at least a /64, and may use a new address of it for every request. */
const SUBSCRIBER_BITS = 64;

/** RFC 6177, section 2: a site may have a /48, which has 65 536 networks of subscriber size. */
const SITE_BITS = 48;

/** RFC 6052, section 2.1: a stateless translator maps the whole IPv4 internet into this range. */
const TRANSLATED_IPV4: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * The networks under which a client is counted, the narrowest first: an IPv4 address as it is, an IPv6 address by its
 * /64 and its /48. Requirement OTC-2.
 *
 * @throws {TypeError} if the text is not an IP address
 */
export function networksOf(clientIp: string): readonly [string, ...string[]] {
  if (!isIpAddress(clientIp)) throw new TypeError('one-time-codes: clientIp must be an IP address');
  const address = ipaddr.process(clientIp);
  if (address.kind() === 'ipv4' || address.match(TRANSLATED_IPV4)) return [address.toString()];
  return [prefixOf(address as ipaddr.IPv6, SUBSCRIBER_BITS), prefixOf(address as ipaddr.IPv6, SITE_BITS)];
}

/** IPv4 in four decimal parts, or IPv6 without a zone. */
export function isIpAddress(given: unknown): boolean {
  if (typeof given !== 'string') return false;
  return ipaddr.IPv4.isValidFourPartDecimal(given) || (isIPv6(given) && !given.includes('%'));
}

function prefixOf({ parts }: ipaddr.IPv6, bits: number): string {
  const kept = parts.slice(0, bits / 16);
  return `${new ipaddr.IPv6([...kept, ...Array<number>(8 - kept.length).fill(0)])}/${bits}`;
}
