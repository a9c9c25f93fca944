import { listOf, option, readOptions, text, wholeNumber } from '@sallyport/plugin-kit/options';
import { SecondFactorSetupError } from '../errors.js';
import { type SharedOptions, sharedRules } from '../shared-options.js';

/** Options of {@link createPasskeys}. Give the same `store`, `records` and `keyPrefix` as to `createSecondFactors`. */
export interface PasskeysOptions extends SharedOptions {
  /**
   * The relying party id: the domain of the pages, or a parent domain of theirs, such as `example.com`. Passkeys are
   * bound to it for good. Required.
   */
  readonly rpId: string;
  /** The name of your service, which the browser may show, 1 to 64 characters. Required. */
  readonly rpName: string;
  /**
   * The origins of the pages, exactly as the browser sends them, such as `https://admin.example.com`. `http` for
   * `localhost` alone. Required.
   */
  readonly origins: readonly string[];
  /** How long a challenge can be answered, in seconds, 30 to 900. Default 300. */
  readonly challengeSeconds?: number;
  /** The maximum number of passkeys of an account, 1 to 50. Default 20. */
  readonly maxPasskeys?: number;
}

/** The defaults of {@link PasskeysOptions}. */
export const PASSKEY_DEFAULTS = { challengeSeconds: 300, maxPasskeys: 20 } as const;

const LOCALHOST = 'localhost';

/** The name of a registrable host: no address, no port, lower case. */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

const rules = {
  ...sharedRules,
  rpId: option<string>({
    meaning: 'a domain in lower case without scheme and port, such as example.com, or localhost',
    accepts: (value) => typeof value === 'string' && (value === LOCALHOST || DOMAIN.test(value)),
  }),
  rpName: text({ maxLength: 64, what: 'the name of your service' }),
  origins: listOf<string>(isOrigin, {
    meaning: 'a list of origins, such as https://example.com without a path; http for localhost alone',
    minItems: 1,
  }),
  challengeSeconds: wholeNumber({ min: 30, max: 900, unit: 'seconds', default: PASSKEY_DEFAULTS.challengeSeconds }),
  maxPasskeys: wholeNumber({ min: 1, max: 50, unit: 'passkeys', default: PASSKEY_DEFAULTS.maxPasskeys }),
};

/** @throws SecondFactorSetupError naming every fault */
export function readPasskeysOptions(given: PasskeysOptions): Required<PasskeysOptions> {
  const owner = { subject: 'createPasskeys', SetupError: SecondFactorSetupError };
  return readOptions<Required<PasskeysOptions>>(owner, given, rules, ({ rpId, origins }) => {
    if (rpId === undefined || origins === undefined) return [];
    // A browser would refuse them, one user at a time.
    const isWithin = ({ hostname }: URL) => hostname === rpId || hostname.endsWith(`.${rpId}`);
    return origins.every((origin) => isWithin(new URL(origin))) ? [] : ['origins must be of the domain rpId'];
  });
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { origin, protocol, hostname } = new URL(value);
  return origin === value && (protocol === 'https:' || (protocol === 'http:' && hostname === LOCALHOST));
}
