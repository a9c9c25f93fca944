import { BlockList, isIP } from 'node:net';

/**
 * The network that a connection to a host uses: this machine only, a private network, or a public one. `unknown` if the
 * name does not tell.
 */
export type Reach = 'machine' | 'private' | 'public' | 'unknown';

const machine = new BlockList();
machine.addSubnet('127.0.0.0', 8, 'ipv4');
machine.addAddress('::1', 'ipv6');

/** RFC 1918, RFC 6598 (shared address space), RFC 3927 and 4291 (link-local), RFC 4193 (unique local). */
const privateNetworks = new BlockList();
for (const [network, prefix, family] of [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const) {
  privateNetworks.addSubnet(network, prefix, family);
}

/**
 * Names that public DNS never resolves: names without a dot, those of RFC 6762, RFC 8375 and RFC 9476, and those of
 * clusters.
 */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|svc)$/;

/** @param host a name or an address, with IPv6 in brackets or without */
export function reachOf(host: string): Reach {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const version = isIP(name);
  if (version !== 0) {
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (machine.check(name, family)) return 'machine';
    return privateNetworks.check(name, family) ? 'private' : 'public';
  }
  if (name === 'localhost' || name.endsWith('.localhost')) return 'machine';
  return PRIVATE_NAME.test(name) ? 'private' : 'unknown';
}

/** The same for the host of a URL. */
export function reachOfUrl(url: string): Reach {
  return reachOf(new URL(url).hostname);
}
