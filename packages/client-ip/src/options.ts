import { option, readOptions, SetupError } from '@sallyport/options';
import { trustedProxyFaults } from './trusted-proxies.js';

/** Options of the plugin and of {@link createClientIp}. */
export interface ClientIpOptions {
  /**
   * The proxies whose `X-Forwarded-For` and `X-Real-IP` are believed: IP addresses and CIDR ranges, none broader than
   * /8 (IPv4) or /7 (IPv6). List the proxies one by one, not a network that also contains clients. Default none: both
   * headers are ignored, and the client is the peer. Requirement IP-2.
   */
  readonly trustedProxies?: readonly string[];
}

/** The defaults of {@link ClientIpOptions}. */
export const CLIENT_IP_DEFAULTS = { trustedProxies: [] } as const satisfies Required<ClientIpOptions>;

/** Bad options. `faults` lists them all; none repeats a value. */
export class ClientIpSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('CLIENT_IP_SETUP_INVALID', subject, faults);
  }
}

const rules = {
  trustedProxies: option<readonly string[]>({
    meaning: 'a list of IP addresses and CIDR ranges',
    faults: (value: unknown) => trustedProxyFaults(value),
    read: (value: readonly string[]) => [...value],
    default: CLIENT_IP_DEFAULTS.trustedProxies,
  }),
};

/**
 * @param owner who reads them: the plugin or the factory
 * @throws ClientIpSetupError naming every fault
 */
export function readClientIpOptions(
  owner: { readonly subject: string; readonly isPlugin?: boolean },
  given: ClientIpOptions | undefined,
): Required<ClientIpOptions> {
  return readOptions<Required<ClientIpOptions>>({ ...owner, SetupError: ClientIpSetupError }, given, rules);
}
