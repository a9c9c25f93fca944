import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A parsed address: IPv4-mapped IPv6 has become IPv4, and a zone is cut. Its `toString()` is the canonical text. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv6 with a dotted tail has at most 45 characters, an interface name as its zone 15; the rest is margin. */
const MAX_ADDRESS_CHARS = 80;

const DOTTED_TAIL = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/;
const BRACKETED = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;

/**
 * Parses one address, strictly: IPv4 in four decimal parts without leading zeros, since parsers disagree about
 * `010.0.0.1`, `0x7f.1` and `2130706433`; IPv6 as in RFC 4291, section 2.2. A zone (`%eth0`) has a meaning only on its
 * own host, and is cut. Null for anything else, such as an address with a port.
 */
export function parseIp(text: string): IpAddress | null {
  if (text.length > MAX_ADDRESS_CHARS) return null;
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
  const zoneAt = text.indexOf('%');
  if (zoneAt !== -1 && zoneAt === text.length - 1) return null;
  const address = zoneAt === -1 ? text : text.slice(0, zoneAt);
  return isIPv6(address) ? ipaddr.process(withHexTail(address)) : null;
}

/** Parses an address as proxies write it: bare, `1.2.3.4:5678`, `[2001:db8::1]` or `[2001:db8::1]:443`. */
export function parseIpWithPort(text: string): IpAddress | null {
  const [, address = text] = BRACKETED.exec(text) ?? IPV4_WITH_PORT.exec(text) ?? [];
  return parseIp(address);
}

/** Whether the value is an address without port, brackets or zone. For input of people and clients. */
export function isIpAddress(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('%') && parseIp(value) !== null;
}

/** `::1.2.3.4` is `::102:304` (RFC 4291, section 2.2), which ipaddr.js would read as the mapped `::ffff:1.2.3.4`. */
function withHexTail(address: string): string {
  const [, head, tail] = DOTTED_TAIL.exec(address) ?? [];
  if (head === undefined || tail === undefined) return address;
  const [a, b, c, d] = ipaddr.IPv4.parse(tail).octets as [number, number, number, number];
  return `${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
