import {
  callback,
  flag,
  hasMethods,
  listOf,
  nullable,
  objectWith,
  option,
  optional,
  readOptions,
  text,
  wholeNumber,
} from '@sallyport/plugin-kit/options';
import { earlierRoutesRule, type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import { keyPrefixRule, type StoreClock, type TtlStore } from '@sallyport/ttl-store';
import { AuthTokensSetupError } from './errors.js';
import {
  type PreparedKey,
  type SigningKey,
  signingKeyRule,
  type VerificationKey,
  verificationKeysRule,
} from './keys/index.js';
import { isPermissionCode } from './permission-codes.js';
import type { CountWithSession, PermissionChanges } from './permissions/index.js';
import type { DecideAccess } from './route-access.js';
import {
  type AudienceLifetime,
  audiencesRule,
  type EndStore,
  type Lifetimes,
  type Principal,
  type SessionEnds,
  type SessionPurposes,
  sessionPurposesRule,
} from './sessions/index.js';
import { type PurposeRequirements, purposeFaults, type TicketPurposes, ticketPurposesRule } from './tickets/index.js';

export interface AuthTokensOptions {
  /**
   * The store of sessions and tickets. Use a shared store (Redis, PostgreSQL) for more than one process. Its `lists`
   * are needed to find sessions of all subjects. Without `getAll`, open connections of n subjects take n reads per
   * second. Required.
   */
  readonly store: Pick<
    TtlStore,
    'lifetime' | 'get' | 'getAll' | 'compareAndSet' | 'setIfAbsent' | 'take' | 'time' | 'lists' | 'marks' | 'changeAll'
  > &
    Partial<Pick<TtlStore, 'set'>>;
  /** The `iss` of every token: the name of this deployment, such as its URL. 1 to 200 characters. Required. */
  readonly issuer: string;
  /** The key that signs. Create one with `generateSigningKey()`. Required. */
  readonly signingKey: SigningKey;
  /** Earlier keys. Their tokens stay valid until their sessions end. Default none. */
  readonly verificationKeys?: readonly VerificationKey[];
  /**
   * The audiences, and the lifetimes of their sessions, in seconds. Default `admin` (30 min idle, 12 h absolute) and
   * `app` (7 d, 30 d).
   */
  readonly audiences?: Readonly<Record<string, AudienceLifetime>>;
  /**
   * Returns the lifetimes of every audience in place of those of `audiences`. It is called once for each check, so that
   * dynamic parameters fit. If it fails or returns a bad value, the request is refused with 503. Default: none.
   */
  readonly lifetimes?: () => Lifetimes | Promise<Lifetimes>;
  /**
   * The maximum number of live sessions of a subject in an audience. A further one ends the least recently seen. 1 to
   * 100. Default 20.
   */
  readonly maxSessionsPerSubject?: number;
  /**
   * Purposes of sessions that may not do everything yet, such as one for the second step of a sign-in. A session that
   * is issued with a `purpose` is refused on every route that doesn't name it in `config.sessionPurposes`. Default
   * none.
   */
  readonly purposes?: SessionPurposes;
  /**
   * The maximum number of streams, uploads and other connections that a session may have open on a node. Further ones
   * are refused with 429. 1 to 1000. Default 128, the usual number of streams of an HTTP/2 connection.
   */
  readonly maxOpenConnections?: number;
  /** Every permission code that a route may require. Default none. */
  readonly permissions?: readonly string[];
  /**
   * Returns the grants of a principal. It is called on every request that needs a permission, so that a change of roles
   * takes effect on the next one. Default: none, and no route may require a permission.
   */
  readonly loadPermissions?: (principal: Principal) => readonly string[] | Promise<readonly string[]>;
  /**
   * Keeps what `loadPermissions` returned in this process, for 10 s at most, until a change is announced by
   * `authTokens.announcePermissionsChange()` on any node. A version in `store` is read together with the session, so a
   * change still takes effect on the next request. Permissions must depend on audience and subject alone. Default: they
   * are loaded on every request that needs one.
   */
  readonly permissionChanges?: PermissionChanges;
  /**
   * Returns a counter in `store`, such as that of a rate limit, that is to count a request, or null for none. It shares
   * the round trip of the session's read: `request.countedWithSession`. Called only for sessions that this node has
   * seen live, with the permissions of the route, and with a store that has `changeAll`. Default: nothing is counted.
   */
  readonly countWithSession?: CountWithSession;
  /**
   * The purposes of tickets: names, or an object from names to requirements. A requirement is a permission, a check, or
   * null for none. It applies when a ticket is issued and when it is redeemed, for everybody, or per audience with an
   * object of audiences. Default none.
   */
  readonly ticketPurposes?: TicketPurposes;
  /** Whether `?access_token=` is accepted, on GET routes with `config.queryToken: true`. Default false. */
  readonly allowQueryToken?: boolean;
  /** Put before every key in the store, 1 to 100 bytes. Default `auth-tokens:`. */
  readonly keyPrefix?: string;
  /**
   * The place of ends of sessions, which are written before the store is changed: a store that does not lose its data
   * together with `store`, such as one on PostgreSQL if sessions are in Redis. After a failover, a flush or a restore
   * of `store`, the ends that it has lost are applied again. Or an object with `write`, such as one on a table of your
   * application's database, so that a change can check in its transaction whether its session has ended; add `find` for
   * the ends that `store` loses. Null: no such store. Default: none, and with a shared `store` the start logs a
   * warning.
   */
  readonly ends?: SessionEnds | EndStore | null;
  /**
   * Decides for routes whose own `config` names no access, such as those of @fastify/swagger-ui and @fastify/static. It
   * returns an access, or `{ access, permission }`, or undefined for a route that it doesn't know. Default: it knows no
   * route.
   */
  readonly decide?: DecideAccess;
  /**
   * The protected scope: the whole application (`app`), or the scope in which the plugin is registered
   * (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
  /**
   * Whether routes may be registered before the plugin. They are protected like the others. A route without any access
   * is closed to everybody. Default false: they stop the start.
   */
  readonly allowEarlierRoutes?: boolean;
  /**
   * The clock of tokens, sessions and tickets: the store's, made by `createStoreClock` of @sallyport/ttl-store. Give it
   * to share one with other plugins, or to allow another difference of the clocks. Default
   * `createStoreClock({ store, now })`.
   */
  readonly clock?: StoreClock;
  /**
   * This node's wall clock, in milliseconds since 1970. It is only compared with the store's clock, see
   * `fastify.authTokens.clock()`. Not allowed together with `clock`, which has its own. Default `Date.now`.
   */
  readonly now?: () => number;
}

/** Validated options. */
export interface ValidOptions
  extends Required<
    Omit<
      AuthTokensOptions,
      | 'signingKey'
      | 'verificationKeys'
      | 'lifetimes'
      | 'loadPermissions'
      | 'permissionChanges'
      | 'countWithSession'
      | 'ticketPurposes'
      | 'ends'
      | 'clock'
      | 'now'
    >
  > {
  readonly permissionChanges: PermissionChanges | undefined;
  readonly countWithSession: CountWithSession | undefined;
  readonly ends: SessionEnds | EndStore | null | undefined;
  readonly clock: StoreClock | undefined;
  readonly now: (() => number) | undefined;
  readonly signingKey: PreparedKey;
  readonly verificationKeys: readonly PreparedKey[];
  readonly lifetimes: AuthTokensOptions['lifetimes'] | undefined;
  readonly loadPermissions: AuthTokensOptions['loadPermissions'] | undefined;
  readonly ticketPurposes: PurposeRequirements;
}

/** The bound keeps records small, because a record is read on every request. */
const MAX_SESSIONS = 100;

/** With this prefix and the longest subject, a key stays below the 1024 bytes that every store accepts. */
const MAX_KEY_PREFIX_BYTES = 100;

const rules = {
  store: objectWith<AuthTokensOptions['store']>({
    methods: ['get', 'compareAndSet', 'setIfAbsent', 'take', 'time'],
    meaning: 'a store with get, compareAndSet, setIfAbsent, take and time, such as one of @sallyport/ttl-store',
  }),
  issuer: text({ maxLength: 200, what: 'the name of this deployment' }),
  signingKey: signingKeyRule,
  verificationKeys: verificationKeysRule,
  audiences: audiencesRule,
  lifetimes: optional(
    callback<NonNullable<AuthTokensOptions['lifetimes']>>({ that: 'returns the lifetimes of every audience' }),
  ),
  maxSessionsPerSubject: wholeNumber({ min: 1, max: MAX_SESSIONS, unit: 'sessions', default: 20 }),
  purposes: sessionPurposesRule,
  maxOpenConnections: wholeNumber({ min: 1, max: 1000, unit: 'connections', default: 128 }),
  permissions: listOf<string>(isPermissionCode, {
    meaning: "a list of codes such as 'api:admin:users:read', without *",
    default: [],
  }),
  loadPermissions: optional(
    callback<NonNullable<AuthTokensOptions['loadPermissions']>>({ that: 'returns the grants of a principal' }),
  ),
  permissionChanges: optional(
    objectWith<PermissionChanges>({
      methods: ['areSettled'],
      meaning: 'an object with areSettled, which returns whether the changes that were announced have ended',
    }),
  ),
  countWithSession: optional(
    callback<CountWithSession>({ that: 'takes a request and its principal and returns a counter or null' }),
  ),
  ticketPurposes: ticketPurposesRule,
  allowQueryToken: flag({ default: false }),
  keyPrefix: keyPrefixRule({ maxBytes: MAX_KEY_PREFIX_BYTES, default: 'auth-tokens:' }),
  ends: optional(
    nullable(
      option<SessionEnds | EndStore>({
        meaning: 'a store such as one of @sallyport/ttl-store, or an object with write',
        accepts: (value) => hasMethods(value, ['write']) || hasMethods(value, ['get', 'set', 'time']),
      }),
    ),
  ),
  decide: callback<DecideAccess>({
    that: 'takes a route and returns its access or undefined',
    default: () => undefined,
  }),
  scope: scopeRule,
  allowEarlierRoutes: earlierRoutesRule,
  clock: optional(
    objectWith<StoreClock>({
      methods: ['read', 'check', 'watch'],
      meaning: 'a clock made by createStoreClock of @sallyport/ttl-store',
    }),
  ),
  now: optional(callback<() => number>({ that: 'returns milliseconds, such as Date.now' })),
};

/** @throws AuthTokensSetupError naming every fault, without a secret */
export function readAuthTokensOptions(given: AuthTokensOptions): ValidOptions {
  const owner = { subject: 'auth-tokens', SetupError: AuthTokensSetupError, isPlugin: true };
  return readOptions<ValidOptions>(owner, given, rules, relationFaults);
}

function relationFaults({ signingKey, verificationKeys = [], ...options }: Partial<ValidOptions>): string[] {
  const { store, ends, audiences, permissions, loadPermissions, permissionChanges, ticketPurposes, clock, now } =
    options;
  const keyIds = [...(signingKey === undefined ? [] : [signingKey]), ...verificationKeys].map(({ keyId }) => keyId);
  return [
    // A token identifies its key by this id alone.
    ...(new Set(keyIds).size < keyIds.length ? ['verificationKeys: each key must have its own keyId'] : []),
    ...(store?.lifetime === 'shared' && ends != null ? endsFaults(store, ends) : []),
    ...(permissionChanges === undefined ? [] : keptFaults(options)),
    ...(clock !== undefined && now !== undefined ? ['now must be given to createStoreClock if clock is given'] : []),
    ...(audiences === undefined || permissions === undefined || ticketPurposes === undefined
      ? []
      : purposeFaults(ticketPurposes, {
          audiences: Object.keys(audiences),
          permissions,
          canLoadPermissions: loadPermissions !== undefined,
        })),
  ];
}

function endsFaults(store: AuthTokensOptions['store'], ends: SessionEnds | EndStore): string[] {
  const isStore = !('write' in ends);
  if (isStore && (ends as object) === store) return ['ends is `store` itself, and would be lost together with it'];
  if (isStore && (ends as Partial<TtlStore>).lifetime === 'process') {
    return ['ends: a store in this process forgets them at its restart, and no other node sees them: use a shared one'];
  }
  return store.marks === undefined && (isStore || ends.find !== undefined)
    ? [
        'ends: store has no `marks`, so a loss of ends goes unnoticed: use a store of @sallyport/ttl-store, ' +
          'give yours `marks`, or give ends without find',
      ]
    : [];
}

function keptFaults({ store, loadPermissions, ends }: Partial<ValidOptions>): string[] {
  const canNoticeLoss = store?.lifetime === 'process' || (ends != null && (!('write' in ends) || ends.find));
  return [
    ...(store !== undefined && store.set === undefined ? ['permissionChanges needs a store with set'] : []),
    ...(canNoticeLoss ? [] : ['permissionChanges needs ends with find: without it, a loss of store goes unnoticed']),
    ...(loadPermissions === undefined ? ['permissionChanges needs loadPermissions'] : []),
  ];
}
