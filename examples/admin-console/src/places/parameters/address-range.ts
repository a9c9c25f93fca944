/** An address as a number of its family. IPv4 inside IPv6 (`::ffff:192.0.2.7`) is IPv4. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const IPV4_PART = /^(?:0|[1-9]\d{0,2})$/;
const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** The upper 96 bits of IPv4 inside IPv6. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX_BITS = 96;

/** Null: the text is no address. */
export function parseAddress(text: string): Address | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => IPV4_PART.test(part) && Number(part) <= 255)) return null;
  return { bits: 32, value: parts.reduce((value, part) => value * 256n + BigInt(part), 0n) };
}

function parseIpv6(text: string): Address | null {
  if (!/^[0-9a-f:.]+$/i.test(text)) return null;
  // The URL parser of the browser knows every spelling, and writes one.
  const host = URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`).hostname : null;
  if (host === null) return null;
  const [head = '', tail] = host.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const value = [...left, ...zeros, ...right].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
  return value >> 32n === MAPPED ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

/**
 * Whether a list of addresses and ranges, separated by commas, admits an address. Null: an entry can't be read,
 * so the service will refuse the list.
 */
export function admits(list: string, address: Address): boolean | null {
  const entries = list.trim() === '' ? [] : list.split(',').map((entry) => entry.trim());
  const answers = entries.map((entry) => isInRange(entry, address));
  return answers.includes(null) ? null : answers.includes(true);
}

function isInRange(entry: string, { bits, value }: Address): boolean | null {
  const [text = '', prefix, ...rest] = entry.split('/');
  const base = parseAddress(text);
  if (base === null || rest.length > 0) return null;
  const width = text.includes(':') ? 128 : 32;
  if (prefix !== undefined && (!PREFIX_BITS.test(prefix) || Number(prefix) > width)) return null;
  const written = prefix === undefined ? width : Number(prefix);
  const prefixBits = base.bits < width ? written - MAPPED_PREFIX_BITS : written;
  if (prefixBits < 0) return null;
  const shift = BigInt(base.bits - prefixBits);
  return base.bits === bits && base.value >> shift === value >> shift;
}
