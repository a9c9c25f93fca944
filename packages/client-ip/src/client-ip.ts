import { clientOfChain, parseForwardedEntry } from './forwarded-chain.js';
import { parseIp } from './ip-address.js';
import { CLIENT_IP_DEFAULTS, type ClientIpOptions } from './options.js';
import { createProxyMatcher } from './trusted-proxies.js';

/** Header names in lower case, as `node:http` gives them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The engine: no I/O, no state. */
export interface ClientIp {
  /**
   * The client's address as canonical text: dotted IPv4, or IPv6 as in RFC 5952; never mapped, without port and zone,
   * always one that PostgreSQL's `inet` accepts.
   *
   * @param peerAddress `socket.remoteAddress`. Undefined (a Unix socket, a connection that is gone) yields
   *   {@link UNKNOWN_PEER} and believes no header: the two can't be told apart, and the second is the client's choice.
   */
  resolve(peerAddress: string | undefined, headers: RequestHeaders): string;

  /** Whether the peer is one of the trusted proxies, so that what it says about a request may be believed. */
  isTrustedProxy(peerAddress: string | undefined): boolean;
}

/** The client IP of a request whose connection has no peer address: 'unspecified' (RFC 1122, section 3.2.1.3), nobody's own. */
export const UNKNOWN_PEER = '0.0.0.0';

/**
 * The one routine for the client's address.
 *
 * @throws TypeError naming every fault of the options.
 */
export function createClientIp({ trustedProxies = CLIENT_IP_DEFAULTS.trustedProxies }: ClientIpOptions = {}): ClientIp {
  const isTrusted = createProxyMatcher(trustedProxies);
  const peers = new Map<string, Peer>();

  /** Null: no address. One peer sends many requests. */
  function peerAt(address: string | undefined): Peer | null {
    const known = peers.get(address ?? '');
    if (known !== undefined) return known;
    const parsed = parseIp(address ?? '');
    if (parsed === null) return null;
    const peer = { text: parsed.toString(), isTrusted: isTrusted(parsed) };
    if (peers.size >= PEERS_KEPT) peers.clear();
    peers.set(address as string, peer);
    return peer;
  }

  return {
    resolve(peerAddress, headers) {
      const peer = peerAt(peerAddress);
      if (peer === null) return UNKNOWN_PEER;
      if (!peer.isTrusted) return peer.text;
      const forwardedFor = wholeHeader(headers['x-forwarded-for']);
      const client =
        forwardedFor === undefined
          ? parseForwardedEntry(wholeHeader(headers['x-real-ip']) ?? '')
          : clientOfChain(forwardedFor, isTrusted);
      return client?.toString() ?? peer.text;
    },

    isTrustedProxy: (peerAddress) => peerAt(peerAddress)?.isTrusted ?? false,
  };
}

/** A peer, as far as it doesn't depend on a request. */
interface Peer {
  readonly text: string;
  readonly isTrusted: boolean;
}

/** Peers that are remembered, until all are forgotten together: some 2 MB at most. */
const PEERS_KEPT = 10_000;

/** All lines of a header as one, in their order (RFC 9110, section 5.3); undefined if there is none. */
function wholeHeader(lines: string | string[] | undefined): string | undefined {
  return Array.isArray(lines) ? lines.join(',') : lines;
}
