import { option, readOptions, SetupError } from '@sallyport/plugin-kit/options';
import { type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import { trustedProxyFaults } from './trusted-proxies.js';

/** Options of {@link createClientIp}. */
export interface ClientIpOptions {
  /**
   * The proxies whose `X-Forwarded-For` and `X-Real-IP` are believed: IP addresses and CIDR ranges, none broader than
   * /8 (IPv4) or /7 (IPv6). List the proxies one by one, not a network that also contains clients. Default none: both
   * headers are ignored, and the client is the peer.
   */
  readonly trustedProxies?: readonly string[];
}

/** Options of the plugin. */
export interface ClientIpPluginOptions extends ClientIpOptions {
  /**
   * The scope of `request.clientIp`: the whole application (`app`), or the scope in which the plugin is registered
   * (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
}

/** The defaults of {@link ClientIpOptions}. */
export const CLIENT_IP_DEFAULTS = { trustedProxies: [] } as const satisfies Required<ClientIpOptions>;

/** Bad options. `faults` lists all faults. No fault repeats a value. */
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

/** @throws ClientIpSetupError naming every fault */
export function readClientIpOptions(given: ClientIpOptions | undefined): Required<ClientIpOptions> {
  return readOptions({ subject: 'createClientIp', SetupError: ClientIpSetupError }, given, rules);
}

/** @throws ClientIpSetupError naming every fault */
export function readPluginOptions(given: ClientIpPluginOptions): Required<ClientIpPluginOptions> {
  const owner = { subject: 'client-ip', SetupError: ClientIpSetupError, isPlugin: true };
  return readOptions(owner, given, { ...rules, scope: scopeRule });
}
