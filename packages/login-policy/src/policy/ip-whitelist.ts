import { type IpAddress, isInRanges, parseIp, parseRange } from '@sallyport/plugin-kit/addresses';

/** Whether an address may sign in. An empty list admits nobody. */
export type IpWhitelist = (address: IpAddress) => boolean;

/** The maximum length in characters, which is about 200 ranges. A longer list belongs in a firewall. */
export const MAX_WHITELIST_LENGTH = 8192;

/** The faults of a whitelist's text in one sentence, with the index of each bad entry. Null if it has none. */
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
  return (address) => isInRanges(address, ranges);
}

/**
 * Whether these values would exclude the address from which they are being written. Ask for a confirmation in that
 * case. An unreadable address is excluded.
 */
export function excludesCaller(
  { ipWhitelistEnabled, ipWhitelistValues }: { ipWhitelistEnabled: boolean; ipWhitelistValues: string },
  clientIp: string,
): boolean {
  if (!ipWhitelistEnabled) return false;
  const address = parseIp(clientIp);
  return address === null || !createIpWhitelist(ipWhitelistValues)(address);
}

/** A blank text has no entries. An empty text between two commas is a bad entry. */
function entriesOf(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
}
