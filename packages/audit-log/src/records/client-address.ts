import { isIP, isIPv4 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(?:0{1,4}:)?(\d{1,3}(?:\.\d{1,3}){3})$/i;
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/;

/**
 * The canonical form of an address: without port and zone, IPv4 in IPv6 as IPv4, IPv6 in lower case and compressed
 * (RFC 5952). Null for a text that is not an address. Requirements AUD-2, AUD-7.
 */
export function canonicalAddress(text: string | null | undefined): string | null {
  if (typeof text !== 'string') return null;
  const [, bracketed, beforePort] = WITH_PORT.exec(text) ?? [];
  const address = (bracketed ?? beforePort ?? text).replace(/%.*$/s, '');
  if (isIPv4(address)) return address;
  if (isIP(address) !== 6) return null;
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return unmapped(new URL(`http://[${address}]/`).hostname.slice(1, -1));
}

/**
 * What one host may own: an IPv4 address, or the /64 network of an IPv6 address. Other texts are returned unchanged.
 */
export function networkOf(text: string): string {
  const address = canonicalAddress(text);
  if (address === null || !address.includes(':')) return address ?? text;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])];
  return `${all.slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address in `::ffff:0:0/96`, whose last two groups are hexadecimal. */
function unmapped(address: string): string {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (groups === null) return address;
  const [high, low] = [Number.parseInt(groups[1] ?? '', 16), Number.parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
