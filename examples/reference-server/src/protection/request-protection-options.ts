import type { FastifyCorsOptions } from '@fastify/cors';
import type { AuditLogOptions, AuditSink } from '@sallyport/audit-log';
import type { AuthTokensOptions, Lifetimes, PermissionChanges, SessionEnds } from '@sallyport/auth-tokens';
import type { ClientIpOptions } from '@sallyport/client-ip';
import {
  ENVELOPE_HEADER,
  type EnvelopeCryptoOptions,
  type KeySource,
  parsePrivateKey,
} from '@sallyport/envelope-crypto';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import type { IdempotencyOptions } from '@sallyport/idempotency';
import type { ReplayGuardPluginOptions } from '@sallyport/replay-guard';
import { createStoreClock, type StoreClock } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { type Config, ConfigError, variableOf } from '../config/config.js';
import { loadTrustedModule } from '../config/trusted-module.js';
import { codeForClient, unavailableProblem } from '../http/error-response.js';
import type { Changes } from '../storage/changes.js';
import type { Stores } from '../storage/opened-resources.js';
import { SecondFactorEnrolmentRequiredError, SecondFactorRequiredError } from './errors.js';
import { ENROLMENT, SECOND_STEP } from './factor-duty.js';
import type { FloodGateOptions } from './flood-gate.js';
import type { Asking } from './password-duty.js';
import { countWithSession, type RateLimitsOptions } from './rate-limits.js';
import type { ResponseHeadersOptions } from './response-headers.js';
import { loadTokenKeys } from './token-keys.js';

/** The options of each plugin of the request protection. */
export interface RequestProtectionOptions {
  readonly responseHeaders: ResponseHeadersOptions;
  readonly clientIp: ClientIpOptions;
  readonly floodGate: FloodGateOptions;
  readonly auditLog: AuditLogOptions;
  /** Null if browsers must not call from other origins. */
  readonly cors: FastifyCorsOptions | null;
  readonly authTokens: AuthTokensOptions & { readonly clock: StoreClock };
  readonly rateLimits: RateLimitsOptions;
  /** Whether writes are refused (OPS-4). */
  readonly safeMode: boolean;
  readonly envelopeCrypto: EnvelopeCryptoOptions;
  readonly replayGuard: ReplayGuardPluginOptions;
  readonly idempotency: IdempotencyOptions;
}

/** Session lifetimes, in seconds. */
interface SessionLifetimes {
  readonly adminIdleSeconds: number;
  readonly adminAbsoluteSeconds: number;
  readonly appIdleSeconds: number;
  readonly appAbsoluteSeconds: number;
}

/** The dependencies of the request protection. */
export interface ProtectionDependencies {
  readonly config: Config;
  readonly stores: Stores;
  /** The clock of sessions. */
  readonly clock: StoreClock;
  readonly auditSink: AuditSink;
  readonly changes: Pick<Changes, 'begin'>;
  readonly sessionEnds: SessionEnds;
  /** All permission codes of the server. A route that requires another one fails the start (TOK-8). */
  readonly permissions: readonly string[];
  readonly ticketPurposes: NonNullable<AuthTokensOptions['ticketPurposes']>;
  /** The current grants of an administrator (TOK-6). */
  readonly grantsOf: (administratorId: string) => Promise<readonly string[]>;
  readonly readLifetimes: () => SessionLifetimes | Promise<SessionLifetimes>;
  /** Whether a duty may refuse a request of a principal. */
  readonly mayHaveDuty: (asking: Asking) => boolean;
  /** Null: permissions are read for each request. */
  readonly permissionChanges: PermissionChanges | null;
}

/** The time for the second step of a sign-in. */
const PENDING_SECONDS = 300;

/** The clock of sessions, which all nodes share. */
export function openSessionClock(config: Config, { sessions: store }: Pick<Stores, 'sessions'>): StoreClock {
  // A node whose clock differs by more is not ready (TOK-12).
  return createStoreClock({ store, allowedSkewMillis: config['api.encryption.clock-skew-seconds'] * 1000 });
}

/** Converts the configuration to the options of each plugin. */
export async function requestProtectionOptions(
  dependencies: ProtectionDependencies,
): Promise<RequestProtectionOptions> {
  const {
    config,
    stores,
    clock,
    auditSink,
    changes,
    sessionEnds,
    permissions,
    ticketPurposes,
    grantsOf,
    readLifetimes,
    mayHaveDuty,
    permissionChanges,
  } = dependencies;
  const windowSeconds = config['rate-limit.window-seconds'];
  const now = () => timeOf(clock);
  return {
    // Answers are data. A browser must neither run nor frame them, for any content type that it assumes.
    responseHeaders: {
      helmet: {
        contentSecurityPolicy: {
          useDefaults: false,
          directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        },
      },
    },
    clientIp: { trustedProxies: config['trusted-proxies'] },
    floodGate: {
      maxRequests: config['flood-gate.max-requests'],
      windowSeconds: config['flood-gate.window-seconds'],
    },
    auditLog: {
      sink: auditSink,
      // Actions outside of the database are confirmed when their record is begun (TOK-13).
      begin: (record, request) => (request.principal === null ? undefined : changes.begin(record, request)),
      terminalOf,
      reasonOf: codeForClient,
      unavailableReply: unavailableProblem,
    },
    cors: config['cors-origins'].length === 0 ? null : corsOptions(config['cors-origins']),
    authTokens: {
      ...(await loadTokenKeys(config)),
      store: stores.sessions,
      ends: sessionEnds,
      clock,
      issuer: config['auth.token.issuer'],
      // Called for every request with a token. The parameters are usually cached, and then no promise is needed.
      lifetimes() {
        const read = readLifetimes();
        return read instanceof Promise ? read.then(lifetimesByAudience) : lifetimesByAudience(read);
      },
      permissions: [...permissions],
      ticketPurposes,
      // The step of a sign-in that is missing, which is all that such a session serves (MFA-2).
      purposes: {
        [SECOND_STEP]: { lifetimeSeconds: PENDING_SECONDS, refusal: new SecondFactorRequiredError().code },
        [ENROLMENT]: { lifetimeSeconds: PENDING_SECONDS, refusal: new SecondFactorEnrolmentRequiredError().code },
      },
      // A change takes effect on the next request (TOK-6).
      loadPermissions: async ({ audience, subject }) => (audience === 'admin' ? [...(await grantsOf(subject))] : []),
      ...(permissionChanges && { permissionChanges }),
      ...(stores.rateLimits === stores.sessions && {
        countWithSession: countWithSession({ windowSeconds }, mayHaveDuty),
      }),
      allowQueryToken: config['auth.token.allow-query-token'],
    },
    rateLimits: {
      maxRequests: config['rate-limit.max-requests'],
      windowSeconds,
      counters: stores.rateLimits,
    },
    safeMode: config['safe-mode'],
    envelopeCrypto: { ...(await envelopeOptions(config)), now },
    replayGuard: {
      store: stores.nonces,
      replayTtlSeconds: config['api.encryption.replay-ttl-seconds'],
      clockSkewSeconds: config['api.encryption.clock-skew-seconds'],
      witness: stores.nonceWitness,
      isNewStore: stores.noncesAreNew,
    },
    idempotency: {
      store: stores.idempotency,
      leaseSeconds: config['idempotency.lease-seconds'],
      retentionSeconds: config['idempotency.retention-seconds'],
    },
  };
}

/**
 * The clock for the first check of stamps of envelopes, so that a node whose clock was set refuses no client (RPL-7).
 * The store itself judges the stamps when the nonce is claimed. If the store's time is unknown or too old, the wall
 * clock is used, but no nonce can be claimed then.
 */
function timeOf(clock: StoreClock): number {
  try {
    return clock.now();
  } catch {
    return Date.now();
  }
}

/** The lifetimes of both audiences, from the parameters. */
export function lifetimesByAudience(parameters: SessionLifetimes): Lifetimes {
  const { adminIdleSeconds, adminAbsoluteSeconds, appIdleSeconds, appAbsoluteSeconds } = parameters;
  return {
    admin: { idleSeconds: adminIdleSeconds, absoluteSeconds: adminAbsoluteSeconds },
    app: { idleSeconds: appIdleSeconds, absoluteSeconds: appAbsoluteSeconds },
  };
}

/** The terminal of the session, or the requested one at sign-in. */
function terminalOf({ principal, body }: FastifyRequest): string | null {
  const { terminal = null } = principal ?? ((body ?? {}) as { readonly terminal?: unknown });
  return typeof terminal === 'string' ? terminal : null;
}

/** The headers of requests and of answers that the interface uses. */
const REQUEST_HEADERS = [
  'Accept-Language',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Range',
  ENVELOPE_HEADER,
];
const ANSWER_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  ENVELOPE_HEADER,
];

function corsOptions(origins: readonly string[]): FastifyCorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  };
}

async function envelopeOptions(config: Config): Promise<EnvelopeCryptoOptions> {
  const privateKey = config['api.encryption.private-key'];
  const kernelThread = config['api.encryption.kernel-thread'];
  const keyModule = config['api.encryption.key-provider-module'];
  return {
    mode: config['api.encryption.mode'],
    suite: config['api.encryption.suite'],
    version: 1,
    bypassRoutes: config['api.encryption.bypass-routes'],
    timestampWindowSeconds: config['api.encryption.timestamp-window-seconds'],
    maxPayloadBytes: config['api.encryption.max-payload-bytes'],
    backend: config['api.encryption.backend'],
    maxWaitingUnwraps: config['api.encryption.max-waiting-unwraps'],
    previousKeys: (config['api.encryption.previous-keys'] ?? []).map(({ keyId, key }) => ({ keyId, privateKey: key })),
    ...(kernelThread !== null && { kernelThread }),
    ...(keyModule !== null && { keySource: await loadKeySource(keyModule) }),
    ...(privateKey !== null && { privateKey, keyId: config['api.encryption.key-id'] ?? keyIdOf(privateKey) }),
  };
}

/**
 * The default export of the module that yields the keys (ENV-12). The plugin checks its members.
 *
 * @throws {ConfigError}
 */
async function loadKeySource(path: string): Promise<KeySource> {
  const module = await loadTrustedModule(path);
  const variable = variableOf('api.encryption.key-provider-module');
  if (module.kind === 'refused') throw new ConfigError([`${variable} ${module.reason}; ${module.fix}`]);
  const source = module.exports.default;
  if (source === undefined) throw new ConfigError([`${variable} has no default export; export an object with load`]);
  return source as KeySource;
}

/** Derives the id of a key without one: the beginning of the SM3 of its public key, the same on every node. */
function keyIdOf(privateKey: string): string {
  const parsed = parsePrivateKey(privateKey);
  if (parsed.kind === 'refused') throw new TypeError('the private key was checked when the configuration was read');
  return Buffer.from(sm3(parsed.publicKey)).toString('hex').slice(0, 16);
}
