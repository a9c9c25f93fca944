import { type IpAddress, parseIp } from './ip-address.js';

/** A range of addresses of one family. */
export interface AddressRange {
  readonly base: IpAddress;
  readonly prefixBits: number;
}

const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** IPv4 inside IPv6: `::ffff:0:0/96`. */
const MAPPED_PREFIX_BITS = 96;

/**
 * Parses an address or a CIDR range, such as `192.0.2.7` or `2001:db8::/32`. An IPv4-mapped range is the IPv4 range. A
 * returned text is the fault, as the end of a sentence that does not repeat the value:
 * `is neither an IP address nor …`.
 */
export function parseRange(text: string): AddressRange | string {
  if (text.includes('%')) return 'has a zone, and addresses are compared without zones';
  const [address = '', prefix, ...rest] = text.split('/');
  const base = parseIp(address);
  if (base === null || rest.length > 0) return 'is neither an IP address nor a CIDR range';
  const width = address.includes(':') ? 128 : 32;
  if (prefix === undefined) return { base, prefixBits: base.kind() === 'ipv4' ? 32 : 128 };
  if (!PREFIX_BITS.test(prefix) || Number(prefix) > width) return `has a prefix length outside 0 to ${width}`;
  const isMapped = width === 128 && base.kind() === 'ipv4';
  const prefixBits = isMapped ? Number(prefix) - MAPPED_PREFIX_BITS : Number(prefix);
  if (prefixBits < 0) return `is IPv4-mapped with a prefix shorter than /${MAPPED_PREFIX_BITS}`;
  return { base, prefixBits };
}

/** Whether one of the ranges contains the address. */
export function isInRanges(address: IpAddress, ranges: readonly AddressRange[]): boolean {
  return ranges.some(({ base, prefixBits }) => base.kind() === address.kind() && address.match(base, prefixBits));
}
