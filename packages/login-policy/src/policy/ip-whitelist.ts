import { type IpAddress, parseIp } from '../ip-address.js';

/** The test whether an address may sign in. An empty list admits nobody. */
export type IpWhitelist = (address: IpAddress) => boolean;

/** A range of addresses, IPv4 and IPv6 apart. */
interface AddressRange {
  readonly base: IpAddress;
  readonly prefixBits: number;
}

/** Some 200 ranges: with more, the list belongs into a firewall. */
export const MAX_WHITELIST_LENGTH = 8192;

const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** IPv4 inside IPv6: `::ffff:0:0/96`. */
const MAPPED_PREFIX_BITS = 96;

/** What is wrong with the text of a whitelist, as one sentence that names the entry by its place; null if nothing is. Requirement LGN-8. */
export function ipWhitelistFault(text: string): string | null {
  if (text.length > MAX_WHITELIST_LENGTH) return `The list is longer than ${MAX_WHITELIST_LENGTH} characters`;
  const faults = entriesOf(text).flatMap((entry, index) => {
    const range = parseRange(entry);
    return typeof range === 'string' ? [`entry ${index + 1} ${range}`] : [];
  });
  if (faults.length === 0) return null;
  return `A list of IP addresses and CIDR ranges, separated by commas, such as "192.0.2.7, 2001:db8::/32"; ${faults.join('; ')}`;
}

/** @param text one that has no {@link ipWhitelistFault}; an entry that can't be read admits nobody. */
export function createIpWhitelist(text: string): IpWhitelist {
  const ranges = entriesOf(text)
    .map(parseRange)
    .filter((range) => typeof range !== 'string');
  return (address) =>
    ranges.some(({ base, prefixBits }) => base.kind() === address.kind() && address.match(base, prefixBits));
}

/**
 * Whether whoever writes these values from this address would be shut out by them: ask for a confirmation then.
 * An address that can't be read is shut out. Requirement LGN-8.
 */
export function excludesCaller(
  { ipWhitelistEnabled, ipWhitelistValues }: { ipWhitelistEnabled: boolean; ipWhitelistValues: string },
  clientIp: string,
): boolean {
  if (!ipWhitelistEnabled) return false;
  const address = parseIp(clientIp);
  return address === null || !createIpWhitelist(ipWhitelistValues)(address);
}

/** Nothing between two commas is an entry that can't be read, and no text at all is no entry. */
function entriesOf(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
}

/** The range that an entry means, or the reason why it means none. */
function parseRange(entry: string): AddressRange | string {
  const [address = '', prefix, ...rest] = entry.split('/');
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
