import { type AddressRange, isInRanges, parseIp, parseRange } from '@sallyport/plugin-kit/addresses';

/**
 * The network that a connection to a host uses: this machine only, a private network, or a public one. `unknown` if the
 * name does not show it.
 */
export type Reach = 'machine' | 'private' | 'public' | 'unknown';

const machine = rangesOf('127.0.0.0/8', '::1');

/** RFC 1918, RFC 6598 (shared address space), RFC 3927 and 4291 (link-local), RFC 4193 (unique local). */
const privateNetworks = rangesOf(
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10'],
);

/**
 * Names that public DNS never resolves: names without a dot, those of RFC 6762, RFC 8375 and RFC 9476, and those of
 * clusters.
 */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|svc)$/;

/** @param host a name or an address, with IPv6 in brackets or without */
export function reachOf(host: string): Reach {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const address = parseIp(name);
  if (address !== null) {
    if (isInRanges(address, machine)) return 'machine';
    return isInRanges(address, privateNetworks) ? 'private' : 'public';
  }
  if (name === 'localhost' || name.endsWith('.localhost')) return 'machine';
  return PRIVATE_NAME.test(name) ? 'private' : 'unknown';
}

/** The same for the host of a URL. */
export function reachOfUrl(url: string): Reach {
  return reachOf(new URL(url).hostname);
}

function rangesOf(...texts: readonly string[]): AddressRange[] {
  return texts.map((text) => parseRange(text) as AddressRange);
}
