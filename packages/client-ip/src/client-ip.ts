import { parseIp } from '@sallyport/plugin-kit/addresses';
import { clientOfChain, parseForwardedEntry } from './forwarded-chain.js';
import { type ClientIpOptions, readClientIpOptions } from './options.js';
import { createProxyMatcher } from './trusted-proxies.js';

/** The headers, with names in lower case, as `node:http` provides them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The engine. It has no I/O, and no state that changes a result. */
export interface ClientIp {
  /**
   * The client's address as canonical text: dotted IPv4, or IPv6 as in RFC 5952; never IPv4-mapped, without port and
   * zone, always one that PostgreSQL's `inet` accepts.
   *
   * @param peerAddress `socket.remoteAddress`. Undefined (a Unix socket, or a closed connection) yields
   *   {@link UNKNOWN_PEER}, and headers are ignored: the two cases can't be distinguished, and a client can cause the
   *   second.
   */
  resolve(peerAddress: string | undefined, headers: RequestHeaders): string;

  /** Whether the peer is one of the trusted proxies, so that its statements about a request may be believed. */
  isTrustedProxy(peerAddress: string | undefined): boolean;
}

/** The client IP of a request without a peer address: 'unspecified' (RFC 1122, section 3.2.1.3), no host's address. */
export const UNKNOWN_PEER = '0.0.0.0';

/** The maximum number of peers in the cache, at most 2 MB. A full cache is emptied. */
const MAX_CACHED_PEERS = 10_000;

/** The properties of a peer that do not depend on the request. */
interface Peer {
  readonly text: string;
  readonly isTrusted: boolean;
}

/**
 * The only function that determines the client's address.
 *
 * @example
 * ```ts
 * import { createClientIp } from '@sallyport/client-ip';
 *
 * const engine = createClientIp({ trustedProxies: ['10.0.0.0/24'] });
 * const headers = { 'x-forwarded-for': '198.51.100.7' };
 * console.log(engine.resolve('10.0.0.1', headers)); // 198.51.100.7
 * ```
 *
 * @throws ClientIpSetupError naming every fault of the options
 */
export function createClientIp(options: ClientIpOptions = {}): ClientIp {
  return openClientIp(readClientIpOptions(options));
}

/** @param options validated */
export function openClientIp({ trustedProxies }: Required<ClientIpOptions>): ClientIp {
  const isTrusted = createProxyMatcher(trustedProxies);
  const peers = new Map<string, Peer>();

  /** Null if the text is not an address. */
  function peerAt(address: string | undefined): Peer | null {
    const known = peers.get(address ?? '');
    if (known !== undefined) return known;
    const parsed = parseIp(address ?? '');
    if (parsed === null) return null;
    const peer = { text: parsed.toString(), isTrusted: isTrusted(parsed) };
    if (peers.size >= MAX_CACHED_PEERS) peers.clear();
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

/** All lines of a header joined in order (RFC 9110, section 5.3). Undefined if there is none. */
function wholeHeader(lines: string | string[] | undefined): string | undefined {
  return Array.isArray(lines) ? lines.join(',') : lines;
}
