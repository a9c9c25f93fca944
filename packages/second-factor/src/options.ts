import {
  group,
  isRandomEnough,
  type OptionRule,
  oneOf,
  option,
  readOptions,
  wholeNumber,
} from '@sallyport/plugin-kit/options';
import { SecondFactorSetupError } from './errors.js';
import type { SecretKey } from './keys/index.js';
import type { TotpAlgorithm } from './records/index.js';
import { type SharedOptions, sharedRules } from './shared-options.js';

/** Options of {@link createSecondFactors}. */
export interface SecondFactorsOptions extends SharedOptions {
  /** The key that encrypts TOTP secrets at rest. The same on every server, and after a restart. Required. */
  readonly key: SecretKey;
  /** Earlier keys, for secrets that were encrypted with them. Default: none. */
  readonly previousKeys?: readonly SecretKey[];
  /** The name of your service, which authenticator apps show: 1 to 64 characters without a colon. Required. */
  readonly issuer: string;
  /** The hash of new TOTP factors. Many apps compute SHA-1 even if the URI names another hash. Default `SHA1`. */
  readonly algorithm?: TotpAlgorithm;
  /** How long an enrolment can be confirmed, in seconds, 60 to 3600. Default 600. */
  readonly enrolmentSeconds?: number;
}

/** The defaults of {@link SecondFactorsOptions}. */
export const SECOND_FACTOR_DEFAULTS = { algorithm: 'SHA1', enrolmentSeconds: 600 } as const;

/** AES-256. */
const SECRET_BYTES = 32;

const keyMembers = group<SecretKey>({
  id: option<string>({
    meaning: '1 to 64 letters, digits and ._-',
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value),
  }),
  secret: option<Uint8Array>({
    meaning: `${SECRET_BYTES} random bytes`,
    accepts: (value) => value instanceof Uint8Array && value.length === SECRET_BYTES && isRandomEnough(value),
  }),
});

/** The secret is copied: a caller that overwrites its buffer changes no key. */
const keyRule: OptionRule<SecretKey> = {
  ...keyMembers,
  meaning: 'a key, such as { id: "k1", secret: randomBytes(32) }',
  isRequired: true,
  defaultValue: undefined,
  // The usual mistake is the secret alone. Each of its bytes would be named as an unknown option.
  faults: (value, name) =>
    value instanceof Uint8Array
      ? [`${name} must be an object with id and secret, not the secret alone`]
      : keyMembers.faults(value, name),
  read: (value) => {
    const { id, secret } = keyMembers.read(value);
    return { id, secret: Buffer.from(secret) };
  },
};

const rules = {
  ...sharedRules,
  key: keyRule,
  previousKeys: option<readonly SecretKey[]>({
    meaning: 'a list of keys',
    accepts: Array.isArray,
    faults: (keys: readonly unknown[], name) => keys.flatMap((key, index) => keyRule.faults(key, `${name}[${index}]`)),
    read: (keys: readonly unknown[]) => keys.map(keyRule.read),
    default: [],
  }),
  issuer: option<string>({
    meaning: 'the name of your service, 1 to 64 characters without a colon',
    accepts: (value) =>
      typeof value === 'string' && value.length > 0 && value.length <= 64 && !/[:\p{Surrogate}]/u.test(value),
  }),
  algorithm: oneOf<TotpAlgorithm>(['SHA1', 'SHA256', 'SHA512'], { default: SECOND_FACTOR_DEFAULTS.algorithm }),
  enrolmentSeconds: wholeNumber({
    min: 60,
    max: 3600,
    unit: 'seconds',
    default: SECOND_FACTOR_DEFAULTS.enrolmentSeconds,
  }),
};

/** @throws SecondFactorSetupError naming every fault */
export function readSecondFactorsOptions(given: SecondFactorsOptions): Required<SecondFactorsOptions> {
  const owner = { subject: 'createSecondFactors', SetupError: SecondFactorSetupError };
  return readOptions<Required<SecondFactorsOptions>>(owner, given, rules, ({ key, previousKeys = [] }) => {
    const ids = [...(key === undefined ? [] : [key]), ...previousKeys].map(({ id }) => id);
    return new Set(ids).size === ids.length ? [] : ['key and previousKeys must have different ids'];
  });
}
