import { type IpAddress, parseIp } from './ip-address.js';

/** A range of addresses of one family. */
interface AddressRange {
  readonly base: IpAddress;
  readonly prefixBits: number;
}

const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** IPv4 inside IPv6: `::ffff:0:0/96`. */
const MAPPED_PREFIX_BITS = 96;

/**
 * The broadest private networks: `10.0.0.0/8`, and the unique local addresses `fc00::/7`. A broader range contains
 * foreign hosts; two halves (`0.0.0.0/1`, `128.0.0.0/1`) would contain all of them.
 */
const MIN_PREFIX_BITS = { ipv4: 8, ipv6: 7 } as const;

const HOW_TO_FIX = 'list the addresses of your proxies, for example ["10.0.0.5", "2001:db8:1::/48"]';

/**
 * The faults of a list of trusted proxies, one sentence each. They never repeat a value, so a configuration reader may
 * print them.
 */
export function trustedProxyFaults(value: unknown): string[] {
  if (!Array.isArray(value)) return [`trustedProxies ${listFault(value)}: ${HOW_TO_FIX}`];
  return value.flatMap((entry: unknown, index) => {
    const range = parseRange(entry);
    return typeof range === 'string' ? [`trustedProxies[${index}] ${range}: ${HOW_TO_FIX}`] : [];
  });
}

/**
 * The test whether an address belongs to the trusted proxies.
 *
 * @param trustedProxies a list without {@link trustedProxyFaults}
 */
export function createProxyMatcher(trustedProxies: readonly string[]): (address: IpAddress) => boolean {
  const ranges = trustedProxies.map((entry) => parseRange(entry) as AddressRange);
  return (address) =>
    ranges.some(({ base, prefixBits }) => base.kind() === address.kind() && address.match(base, prefixBits));
}

function listFault(value: unknown): string {
  if (value === true || value === 'true')
    return 'is true, which would believe anything that a client writes into the header';
  if (typeof value === 'number') return 'is a hop count, which a client that bypasses a proxy defeats';
  return `is not a list (${value === null ? 'null' : typeof value})`;
}

/** The range that an entry denotes, or its fault. */
function parseRange(entry: unknown): AddressRange | string {
  if (entry === true || typeof entry === 'number') return listFault(entry);
  if (typeof entry !== 'string') return 'is not a text';
  if (entry.includes('%')) return 'has a zone, and addresses are compared without zones';
  const [address = '', prefix, ...rest] = entry.split('/');
  const base = parseIp(address);
  if (base === null || rest.length > 0) return 'is neither an IP address nor a CIDR range';
  const width = address.includes(':') ? 128 : 32;
  if (prefix === undefined) return { base, prefixBits: base.kind() === 'ipv4' ? 32 : 128 };
  if (!PREFIX_BITS.test(prefix) || Number(prefix) > width) return `has a prefix length outside 0 to ${width}`;
  const isMapped = width === 128 && base.kind() === 'ipv4';
  const prefixBits = isMapped ? Number(prefix) - MAPPED_PREFIX_BITS : Number(prefix);
  if (prefixBits < 0) return `is IPv4-mapped with a prefix shorter than /${MAPPED_PREFIX_BITS}`;
  if (prefixBits === 0) return 'trusts every address, and so anything that a client writes into the header';
  const minPrefixBits = MIN_PREFIX_BITS[base.kind()];
  if (prefixBits < minPrefixBits) return `is broader than /${minPrefixBits}, and so trusts foreign hosts`;
  return { base, prefixBits };
}
