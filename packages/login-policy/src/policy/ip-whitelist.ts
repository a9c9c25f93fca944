import { type IpAddress, parseIp } from '../ip-address.js';

/** Tells whether an address may sign in. An empty list admits nobody. */
export type IpWhitelist = (address: IpAddress) => boolean;

/** A range of addresses of one family. */
interface AddressRange {
  readonly base: IpAddress;
  readonly prefixBits: number;
}

/** In characters: about 200 ranges. A longer list belongs in a firewall. */
export const MAX_WHITELIST_LENGTH = 8192;

const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** IPv4 inside IPv6: `::ffff:0:0/96`. */
const MAPPED_PREFIX_BITS = 96;

/** The faults of a whitelist's text in one sentence, with the index of each bad entry; null if it has none. LGN-8. */
export function ipWhitelistFault(text: string): string | null {
  if (text.length > MAX_WHITELIST_LENGTH) return `The list is longer than ${MAX_WHITELIST_LENGTH} characters`;
  const faults = entriesOf(text).flatMap((entry, index) => {
    const range = parseRange(entry);
    return typeof range === 'string' ? [`entry ${index + 1} ${range}`] : [];
  });
  if (faults.length === 0) return null;
  const form = 'A list of IP addresses and CIDR ranges, separated by commas, such as "192.0.2.7, 2001:db8::/32"';
  return [form, ...faults].join('; ');
}

/** @param text without {@link ipWhitelistFault}; an unreadable entry admits nobody */
export function createIpWhitelist(text: string): IpWhitelist {
  const ranges = entriesOf(text)
    .map(parseRange)
    .filter((range) => typeof range !== 'string');
  return (address) =>
    ranges.some(({ base, prefixBits }) => base.kind() === address.kind() && address.match(base, prefixBits));
}

/**
 * Whether these values would exclude the address from which they are being written: ask for a confirmation then. An
 * unreadable address is excluded. Requirement LGN-8.
 */
export function excludesCaller(
  { ipWhitelistEnabled, ipWhitelistValues }: { ipWhitelistEnabled: boolean; ipWhitelistValues: string },
  clientIp: string,
): boolean {
  if (!ipWhitelistEnabled) return false;
  const address = parseIp(clientIp);
  return address === null || !createIpWhitelist(ipWhitelistValues)(address);
}

/** A blank text has no entries. An empty text between two commas is an entry, and a bad one. */
function entriesOf(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
}

/** The range that an entry denotes, or its fault. */
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
