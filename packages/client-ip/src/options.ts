/** Options of the plugin and of the engine. */
export interface ClientIpOptions {
  /**
   * The proxies whose `X-Forwarded-For` and `X-Real-IP` are believed: IP addresses and CIDR ranges, nothing else,
   * none broader than /8 (IPv4) or /7 (IPv6). Default none: both headers are ignored, and the client is the peer. List the proxies one by one, not a network in
   * which clients live too. Requirement IP-2.
   */
  readonly trustedProxies?: readonly string[];
}

/** The defaults of {@link ClientIpOptions}. */
export const CLIENT_IP_DEFAULTS = { trustedProxies: [] } as const satisfies Required<ClientIpOptions>;
