import type { ParameterValue } from '@sallyport/system-parameters';

/** Names of profiles, in the order of the help. */
export const PROFILE_NAMES = ['interface-document', 'nist', 'dengbao3'] as const;

export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The demand of a profile on one parameter. */
export interface ProfileRule {
  readonly key: string;
  /** The value that `--apply` sets where the present one does not satisfy the profile. */
  readonly value: ParameterValue;
  /** Whether a value satisfies the profile. A stricter one does, too. */
  readonly accepts: (value: ParameterValue) => boolean;
}

export interface PolicyProfile {
  readonly name: ProfileName;
  readonly source: string;
  readonly rules: readonly ProfileRule[];
  /** The demands that no parameter can meet. */
  readonly notCovered: readonly string[];
}

const exactly = (key: string, value: ParameterValue): ProfileRule => ({ key, value, accepts: (it) => it === value });
const atLeast = (key: string, value: number): ProfileRule => ({ key, value, accepts: (it) => Number(it) >= value });
/** Zero switches such a limit off. */
const atMost = (key: string, value: number): ProfileRule => ({
  key,
  value,
  accepts: (it) => Number(it) > 0 && Number(it) <= value,
});

const HASHED =
  'The server receives a digest of the password: it cannot see the typed length or the kinds of characters. Clients check these rules; a client that leaves them out is not noticed.';
const EQUAL_DIGESTS =
  'The history compares what clients send. A password that comes back by another digest, or changed by one letter, is not seen.';
/** The modes of the second factor, the laxest first. */
const MODES: readonly ParameterValue[] = ['OFF', 'OPTIONAL', 'REQUIRED'];
const atLeastMode = (key: string, value: string): ProfileRule => ({
  key,
  value,
  accepts: (it) => MODES.indexOf(it) >= MODES.indexOf(value),
});

const CODES_ARE_PHISHED =
  'A second factor that resists phishing: passkeys do, but codes of an authenticator app are accepted as well.';

/** The values of the interface document, which are the defaults of all parameters that a profile sets. */
const interfaceDocument: PolicyProfile = {
  name: 'interface-document',
  source: 'the interface document: the defaults of this server',
  rules: [
    exactly('admin.auth.password.min-length', 6),
    exactly('admin.auth.password.require-uppercase', false),
    exactly('admin.auth.password.require-lowercase', false),
    exactly('admin.auth.password.require-digit', false),
    exactly('admin.auth.password.require-special', false),
    exactly('admin.auth.password.refuse-common', true),
    exactly('admin.auth.password.require-sm3', false),
    exactly('admin.auth.password.max-age-days', 0),
    exactly('admin.auth.password.history-count', 0),
    exactly('admin.auth.password.force-first-change', false),
    exactly('app.auth.password.max-age-days', 0),
    exactly('app.auth.password.history-count', 0),
    exactly('admin.auth.login.failure-count', 5),
    exactly('admin.auth.login.account-failure-count', 20),
    exactly('admin.auth.login.lock-seconds', 600),
    exactly('admin.auth.captcha.enabled', false),
    exactly('auth.token.admin.idle-seconds', 1800),
    exactly('auth.token.admin.absolute-seconds', 43_200),
    exactly('admin.auth.second-factor.mode', 'OFF'),
    exactly('app.auth.second-factor.mode', 'OFF'),
    exactly('admin.auth.inactive-days', 0),
    exactly('app.auth.inactive-days', 0),
  ],
  notCovered: [HASHED],
};

const nist: PolicyProfile = {
  name: 'nist',
  source: 'NIST SP 800-63B-4, two factors: no composition rules, no expiry',
  rules: [
    // A password that is the only factor has 15 characters, one with a second factor 8.
    atLeast('admin.auth.password.min-length', 8),
    exactly('admin.auth.second-factor.mode', 'REQUIRED'),
    atLeastMode('app.auth.second-factor.mode', 'OPTIONAL'),
    exactly('admin.auth.password.require-uppercase', false),
    exactly('admin.auth.password.require-lowercase', false),
    exactly('admin.auth.password.require-digit', false),
    exactly('admin.auth.password.require-special', false),
    exactly('admin.auth.password.refuse-common', true),
    exactly('admin.auth.password.require-sm3', true),
    exactly('admin.auth.password.max-age-days', 0),
    exactly('admin.auth.password.force-first-change', true),
    exactly('app.auth.password.max-age-days', 0),
    atMost('admin.auth.login.account-failure-count', 100),
    atMost('auth.token.admin.idle-seconds', 3600),
    atMost('auth.token.admin.absolute-seconds', 86_400),
  ],
  notCovered: [
    CODES_ARE_PHISHED,
    'App users without a second factor: their password is the only one, and should have 15 characters.',
    HASHED,
    'Passwords that were found in breaches, beyond the 10 000 commonest ones, unless SERVICE_AUTH_PASSWORD_BREACHED_FILE names a file of them.',
  ],
};

const dengbao3: PolicyProfile = {
  name: 'dengbao3',
  source: 'GB/T 22239-2019, level 3, identity authentication, as assessors commonly read it',
  rules: [
    atLeast('admin.auth.password.min-length', 8),
    exactly('admin.auth.password.require-uppercase', true),
    exactly('admin.auth.password.require-lowercase', true),
    exactly('admin.auth.password.require-digit', true),
    exactly('admin.auth.password.require-special', true),
    exactly('admin.auth.password.refuse-common', true),
    exactly('admin.auth.password.require-sm3', true),
    exactly('admin.auth.second-factor.mode', 'REQUIRED'),
    atLeastMode('app.auth.second-factor.mode', 'OPTIONAL'),
    atMost('admin.auth.inactive-days', 90),
    atMost('app.auth.inactive-days', 365),
    atMost('admin.auth.password.max-age-days', 90),
    atLeast('admin.auth.password.history-count', 5),
    exactly('admin.auth.password.force-first-change', true),
    atMost('app.auth.password.max-age-days', 90),
    atLeast('app.auth.password.history-count', 5),
    atMost('admin.auth.login.failure-count', 5),
    atMost('admin.auth.login.account-failure-count', 20),
    atLeast('admin.auth.login.lock-seconds', 600),
    exactly('admin.auth.captcha.enabled', true),
    atMost('auth.token.admin.idle-seconds', 1800),
    atMost('auth.token.admin.absolute-seconds', 43_200),
  ],
  notCovered: [
    'A second factor by cryptography: passkeys and authenticator apps use it, but not the algorithms that assessors of national cryptography ask for.',
    HASHED,
    EQUAL_DIGESTS,
    'A minimum age of passwords: as many changes as the history is long bring an old password back.',
  ],
};

export const policyProfiles: Readonly<Record<ProfileName, PolicyProfile>> = {
  'interface-document': interfaceDocument,
  nist,
  dengbao3,
};

/** A parameter whose value does not satisfy the profile. */
interface ProfileDifference {
  readonly rule: ProfileRule;
  readonly inForce: ParameterValue;
}

/** @param inForce the values by key */
export function differencesFrom(
  { rules }: PolicyProfile,
  inForce: ReadonlyMap<string, ParameterValue>,
): readonly ProfileDifference[] {
  return rules.flatMap((rule) => {
    const value = inForce.get(rule.key);
    if (value === undefined) throw new TypeError(`${rule.key} is no system parameter`);
    return rule.accepts(value) ? [] : [{ rule, inForce: value }];
  });
}
