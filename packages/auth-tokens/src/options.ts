import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { AuthTokensSetupError } from './errors.js';
import {
  KeyFault,
  type PreparedKey,
  prepareSigningKey,
  prepareVerificationKey,
  type SigningKey,
  type VerificationKey,
} from './keys/index.js';
import { isPermissionCode } from './permissions.js';
import type { Principal } from './sessions/index.js';
import { AUDIENCE, type AudienceLifetime, isLifetimeSeconds, MAX_LIFETIME_SECONDS } from './sessions/index.js';
import { purposeEntries, purposeFaults, type TicketPurposes } from './tickets/index.js';

export interface AuthTokensOptions {
  /** Where sessions and tickets live. A shared store (Redis, PostgreSQL) for more than one process. Required. Requirements TOK-2, TOK-11. */
  readonly store: Pick<TtlStore, 'get' | 'compareAndSet' | 'setIfAbsent' | 'take'>;
  /** The `iss` of every token: this deployment's name, such as its URL. 1 to 200 characters. Required. Requirement TOK-2. */
  readonly issuer: string;
  /** The key that signs. Make one with `generateSigningKey()`. Required. Requirement TOK-4. */
  readonly signingKey: SigningKey;
  /** Earlier keys, whose tokens stay valid until their sessions end. Default none. Requirement TOK-4. */
  readonly verificationKeys?: readonly VerificationKey[];
  /** Who there is to sign in, and for how long, in seconds. Default `admin` (30 min idle, 12 h absolute) and `app` (7 d, 30 d). Requirement TOK-5. */
  readonly audiences?: Readonly<Record<string, AudienceLifetime>>;
  /** How many live sessions a subject has at most in an audience; one more ends the least recently seen. 1 to 100. Default 20. */
  readonly maxSessionsPerSubject?: number;
  /** Every permission code that a route may ask for. Default none. Requirement TOK-8. */
  readonly permissions?: readonly string[];
  /** The grants of a principal, asked for on every request that needs one, so that a change of roles takes effect on the next. Default: none, and no route may ask for a permission. Requirements TOK-6, TOK-8. */
  readonly loadPermissions?: (principal: Principal) => readonly string[] | Promise<readonly string[]>;
  /** What tickets may be issued for: names, or by name the permission that it needs, at the issue and again at the redemption; null: none. Default none. Requirements TOK-6, TOK-10. */
  readonly ticketPurposes?: TicketPurposes;
  /** Whether `?access_token=` counts, on GET routes with `config.queryToken: true`. Default false. Requirement TOK-9. */
  readonly allowQueryToken?: boolean;
  /** Called when the token of a request is right by itself, just before its session is read: to ask a store in the same round trip for what the request will need. It must not throw, and may decide nothing: whether the session lives isn't known yet. Default: nothing. */
  readonly onVerified?: (request: FastifyRequest) => void;
  /** What all keys in the store begin with. 1 to 100 bytes. Default `auth-tokens:`. */
  readonly keyPrefix?: string;
  /** The clock, in milliseconds. Default `Date.now`. It rules token times and sessions alike. */
  readonly now?: () => number;
}

const defaultOptions = {
  verificationKeys: [],
  audiences: {
    admin: { idleSeconds: 30 * 60, absoluteSeconds: 12 * 3600 },
    app: { idleSeconds: 7 * 24 * 3600, absoluteSeconds: 30 * 24 * 3600 },
  },
  maxSessionsPerSubject: 20,
  permissions: [],
  loadPermissions: undefined,
  ticketPurposes: [],
  allowQueryToken: false,
  onVerified: undefined,
  keyPrefix: 'auth-tokens:',
  now: () => Date.now(),
} as const satisfies Omit<{ [Name in keyof AuthTokensOptions]-?: AuthTokensOptions[Name] | undefined }, Mandatory>;

type Mandatory = 'store' | 'issuer' | 'signingKey';

/** Options with nothing left to doubt. */
export interface CheckedOptions
  extends Required<
    Omit<AuthTokensOptions, 'signingKey' | 'verificationKeys' | 'loadPermissions' | 'onVerified' | 'ticketPurposes'>
  > {
  readonly signingKey: PreparedKey;
  readonly verificationKeys: readonly PreparedKey[];
  readonly loadPermissions: AuthTokensOptions['loadPermissions'] | undefined;
  readonly onVerified: AuthTokensOptions['onVerified'] | undefined;
  /** By purpose the permission that it needs, or null. */
  readonly ticketPurposes: ReadonlyMap<string, string | null>;
}

const MAX_ISSUER_LENGTH = 200;
// A record is read on every request, so it stays small.
const MAX_SESSIONS = 100;
const MAX_KEY_PREFIX_BYTES = 100;
const STORE_VERBS = ['get', 'compareAndSet', 'setIfAbsent', 'take'] as const;

/** @throws AuthTokensSetupError with every fault at once, and no secret in it. */
export function checkOptions(given: AuthTokensOptions): CheckedOptions {
  const options = { ...defaultOptions, ...withoutUndefined(given) };
  const { signingKey, verificationKeys, faults } = prepareKeys(options);
  const checks: (readonly [name: string, isRight: boolean, meant: string])[] = [
    [
      'store',
      STORE_VERBS.every((verb) => typeof options.store?.[verb] === 'function'),
      'a store of @sallyport/ttl-store',
    ],
    [
      'issuer',
      isTextOf(options.issuer, MAX_ISSUER_LENGTH),
      `this deployment's name, 1 to ${MAX_ISSUER_LENGTH} characters`,
    ],
    [
      'maxSessionsPerSubject',
      isWhole(options.maxSessionsPerSubject, 1, MAX_SESSIONS),
      `a whole number from 1 to ${MAX_SESSIONS}`,
    ],
    [
      'permissions',
      isListOf(options.permissions, isPermissionCode),
      "a list of codes such as 'api:admin:users:read', without *",
    ],
    [
      'loadPermissions',
      options.loadPermissions === undefined || typeof options.loadPermissions === 'function',
      'a function from a principal to its grants',
    ],
    ['allowQueryToken', typeof options.allowQueryToken === 'boolean', 'true or false'],
    [
      'onVerified',
      options.onVerified === undefined || typeof options.onVerified === 'function',
      'a function that takes a request',
    ],
    ['keyPrefix', isKeyPrefix(options.keyPrefix), `a text of 1 to ${MAX_KEY_PREFIX_BYTES} bytes without U+0000`],
    ['now', typeof options.now === 'function', 'a function that returns milliseconds, such as Date.now'],
  ];
  const wrong = [
    ...unknownNames(given).map((name) => `${name} is no option`),
    ...checks.filter(([, isRight]) => !isRight).map(([name, , meant]) => `${name} must be ${meant}`),
    ...audienceFaults(options.audiences),
    ...purposeFaults(options),
    ...faults,
  ];
  if (wrong.length > 0) throw new AuthTokensSetupError(wrong.join('; '));
  const ticketPurposes = new Map(purposeEntries(options.ticketPurposes));
  return { ...options, ticketPurposes, signingKey: signingKey as PreparedKey, verificationKeys };
}

/** All keys, or what is wrong with each. Two keys under one id would leave it open which of them a token names. */
function prepareKeys({ signingKey, verificationKeys }: Pick<AuthTokensOptions, 'signingKey' | 'verificationKeys'>) {
  const faults: string[] = [];
  const prepare = <Key>(name: string, key: Key, how: (key: Key) => PreparedKey): PreparedKey[] => {
    try {
      return [how(key)];
    } catch (error) {
      faults.push(`${name}: ${error instanceof KeyFault ? error.message : 'unreadable key'}`);
      return [];
    }
  };
  const signing = prepare('signingKey', signingKey, prepareSigningKey);
  const earlier = Array.isArray(verificationKeys) ? verificationKeys : [];
  if (earlier !== verificationKeys) faults.push('verificationKeys must be a list of keys');
  const verification = earlier.flatMap((key, index) =>
    prepare(`verificationKeys[${index}]`, key, prepareVerificationKey),
  );
  const ids = [...signing, ...verification].map(({ keyId }) => keyId);
  if (new Set(ids).size < ids.length) faults.push('verificationKeys: each key must have a keyId of its own');
  return { signingKey: signing[0], verificationKeys: verification, faults };
}

function audienceFaults(audiences: unknown): string[] {
  if (typeof audiences !== 'object' || audiences === null || Object.keys(audiences).length === 0) {
    return ['audiences must name at least one audience'];
  }
  return Object.entries(audiences as Record<string, Partial<AudienceLifetime> | null>).flatMap(([name, lifetime]) => [
    ...(AUDIENCE.test(name) && name !== 'public' ? [] : [`audiences: '${name}' can't be the name of an audience`]),
    ...(['idleSeconds', 'absoluteSeconds'] as const)
      .filter((span) => typeof lifetime?.[span] !== 'function' && !isLifetimeSeconds(lifetime?.[span]))
      .map(
        (span) =>
          `audiences.${name}.${span} must be a whole number of seconds from 1 to ${MAX_LIFETIME_SECONDS}, or a function that returns one`,
      ),
    ...(isLongerThan(lifetime?.idleSeconds, lifetime?.absoluteSeconds)
      ? [`audiences.${name}.idleSeconds must not exceed absoluteSeconds`]
      : []),
  ]);
}

function isLongerThan(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one > other;
}

function unknownNames(given: AuthTokensOptions): string[] {
  const known = new Set<string>([...Object.keys(defaultOptions), 'store', 'issuer', 'signingKey', 'prefix']);
  return Object.keys(given).filter((name) => !known.has(name));
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isTextOf(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= maxLength;
}

function isKeyPrefix(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return Buffer.byteLength(value) <= MAX_KEY_PREFIX_BYTES && !/[\0\p{Surrogate}]/u.test(value);
}

/** An option that is there as undefined is one that wasn't given. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T;
}
