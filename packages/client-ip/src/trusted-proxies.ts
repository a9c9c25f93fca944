import { type AddressRange, type IpAddress, isInRanges, parseRange } from '@sallyport/plugin-kit/addresses';

/**
 * The broadest private networks: `10.0.0.0/8`, and the unique local addresses `fc00::/7`. A broader range contains
 * foreign hosts. The two halves `0.0.0.0/1` and `128.0.0.0/1` would contain all of them.
 */
const MIN_PREFIX_BITS = { ipv4: 8, ipv6: 7 } as const;

const HOW_TO_FIX = 'list the addresses of your proxies, for example ["10.0.0.5", "2001:db8:1::/48"]';

/**
 * The faults of a list of trusted proxies, one sentence each. The faults never repeat a value, so a configuration
 * reader may print them.
 */
export function trustedProxyFaults(value: unknown): string[] {
  if (!Array.isArray(value)) return [`trustedProxies ${listFault(value)}: ${HOW_TO_FIX}`];
  return value.flatMap((entry: unknown, index) => {
    const range = parseProxies(entry);
    return typeof range === 'string' ? [`trustedProxies[${index}] ${range}: ${HOW_TO_FIX}`] : [];
  });
}

/**
 * The test whether an address belongs to the trusted proxies.
 *
 * @param trustedProxies a list without {@link trustedProxyFaults}
 */
export function createProxyMatcher(trustedProxies: readonly string[]): (address: IpAddress) => boolean {
  const ranges = trustedProxies.map((entry) => parseProxies(entry) as AddressRange);
  return (address) => isInRanges(address, ranges);
}

function listFault(value: unknown): string {
  if (value === true || value === 'true')
    return 'is true, which would believe anything that a client writes into the header';
  if (typeof value === 'number') return 'is a hop count, which a client that bypasses a proxy defeats';
  return `is not a list (${value === null ? 'null' : typeof value})`;
}

/** The range that an entry denotes, or its fault. */
function parseProxies(entry: unknown): AddressRange | string {
  if (entry === true || typeof entry === 'number') return listFault(entry);
  if (typeof entry !== 'string') return 'is not a text';
  const range = parseRange(entry);
  if (typeof range === 'string') return range;
  const { base, prefixBits } = range;
  if (prefixBits === 0) return 'trusts every address, and so anything that a client writes into the header';
  const minPrefixBits = MIN_PREFIX_BITS[base.kind()];
  return prefixBits < minPrefixBits ? `is broader than /${minPrefixBits}, and so trusts foreign hosts` : range;
}
