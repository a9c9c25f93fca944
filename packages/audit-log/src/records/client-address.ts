import { parseIpWithPort } from '@sallyport/plugin-kit/addresses';

/**
 * The canonical form of an address: without port and zone, IPv4 in IPv6 as IPv4, IPv6 in lower case and compressed
 * (RFC 5952). Null for a text that is not an address.
 */
export function canonicalAddress(text: string | null | undefined): string | null {
  return typeof text === 'string' ? (parseIpWithPort(text)?.toString() ?? null) : null;
}
