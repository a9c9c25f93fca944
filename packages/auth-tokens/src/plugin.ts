import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnyRequest, coverRoutes, requireFreeNames, stopsStart } from '@sallyport/plugin-kit/routes';
import { type ClockState, createStoreClock } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { challenge } from './challenge.js';
import { isPreflight, warnOfLaterCors } from './cross-origin.js';
import type { Permission } from './declared-names.js';
import {
  AuthTokensSetupError,
  failClosed,
  isTokenRefused,
  PermissionDeniedError,
  SessionPurposeError,
  SessionStoreUnavailableError,
  TokenMissingError,
} from './errors.js';
import {
  announcesBody,
  type ConnectionEnds,
  createOpenConnections,
  hasSession,
  tellChanges,
  watchConnections,
} from './open-connections/index.js';
import { type AuthTokensOptions, readAuthTokensOptions } from './options.js';
import { openPermissions, type SessionCounted } from './permissions/index.js';
import { closedRoute, codesOf, declaresAccess, purposesOf, type RouteAccess, readRouteAccess } from './route-access.js';
import { openSessionStorage } from './session-storage.js';
import { createLifetimeReader, createSessionTime, type Principal, withProofOf } from './sessions/index.js';
import { createTickets, type Tickets } from './tickets/index.js';
import {
  type AccessTokens,
  createAccessTokens,
  createJwtCodec,
  logsQueryTokens,
  presentedToken,
} from './tokens/index.js';
import { watchClock } from './watch-clock.js';

/** `fastify.authTokens`. */
export interface AuthTokens extends AccessTokens, Tickets, ConnectionEnds {
  /**
   * The difference between this node's wall clock and the store's, by which sessions begin and end. While the wall
   * clock is off, take the node out of readiness: its sessions are right, but other uses of its clock are not. Rejects
   * with SESSION_STORE_UNAVAILABLE if the store's time is not known.
   */
  clock(): Promise<ClockState>;
  /**
   * Checks the sender of a request again, as if the request came now: the session, and the permissions of the route. It
   * reads the session once, writes nothing and doesn't count as activity. Rejects with the refusal; let it through. If
   * the application has set `request.principal` itself, as with another authentication, only the session is checked,
   * and a session that does not belong to this plugin is refused. Without a principal, as on a public route, it
   * resolves.
   *
   * If a body arrives after its head, the plugin itself checks again when the body is complete. Call it directly before
   * the change in a handler that waits long, or that reads the body itself, such as an upload.
   *
   * @example
   * ```ts
   * app.post('/files', { config: { access: 'admin' } }, async (request) => {
   *   const file = await receive(request.raw); // for minutes
   *   await app.authTokens.confirm(request); // 401 if the session has ended since
   *   return files.insert(file);
   * });
   * ```
   */
  confirm(request: AnyRequest): Promise<void>;
  /**
   * With the option `permissionChanges`: no node uses permissions that it has kept, until the change is settled. Await
   * it in the transaction of each change of what `loadPermissions` reads, before its commit, while the transaction
   * holds the lock that `areSettled` asks for. If it rejects, roll the change back.
   */
  announcePermissionsChange(): Promise<void>;
}

/** The token that `authenticate` has accepted. A query token is no longer in the query. */
const kToken = Symbol('@sallyport/auth-tokens: token');

/** Whether the whole request had arrived before `authenticate` read the store. */
const kWasWhole = Symbol('@sallyport/auth-tokens: was whole');

declare module 'fastify' {
  interface FastifyInstance {
    /** Sessions, tokens and tickets. */
    readonly authTokens: AuthTokens;
  }
  interface FastifyRequest {
    /** The sender of the request; null on public routes. Set by the onRequest hook `authenticate`. */
    principal: Principal | null;
    /** The count of the option `countWithSession`. Null: nothing was counted, so count the request yourself. */
    countedWithSession: SessionCounted | null;
    /** Whether the principal holds a declared permission. False on public routes. */
    hasPermission(code: Permission): Promise<boolean>;
    /** @internal */
    [kToken]: string | null;
    /** @internal */
    [kWasWhole]: boolean;
  }
}

const PLACE = { subject: 'auth-tokens', SetupError: AuthTokensSetupError };

async function authTokensPlugin(fastify: FastifyInstance, given: AuthTokensOptions): Promise<void> {
  const options = readAuthTokensOptions(given);
  warnOfLaterCors(fastify);
  const { store, keyPrefix, lifetimes = () => options.audiences } = options;
  const { clock = createStoreClock({ store, ...(options.now && { now: options.now }) }) } = options;
  const readTime = createSessionTime(clock);
  const audiences = Object.keys(options.audiences);
  const rules = {
    audiences,
    permissions: options.permissions,
    canLoadPermissions: options.loadPermissions !== undefined,
    purposes: options.purposes,
    decide: options.decide,
  };
  const routes = coverRoutes<RouteAccess>(fastify, {
    ...PLACE,
    scope: options.scope,
    allowEarlierRoutes: options.allowEarlierRoutes,
    members: ['access', 'permission', 'queryToken', 'sessionPurposes'],
    declares: declaresAccess,
    read: (route) => readRouteAccess(route, rules),
    coversEarlier: true,
    faultsWhenReady: () =>
      options.allowQueryToken && logsQueryTokens(fastify.log)
        ? ["allowQueryToken: the log's req serializer shows tokens; mask its url with maskQueryToken()"]
        : [],
  });

  requireFreeNames(fastify, PLACE, {
    fastify: ['authTokens'],
    request: ['principal', 'hasPermission', 'countedWithSession'],
  });
  const storage = openSessionStorage(fastify, options, readTime);
  const readLifetime = createLifetimeReader(lifetimes);
  const jwt = await createJwtCodec(fastify, options);
  const open = createOpenConnections({
    records: storage.records,
    readLifetime,
    readTime,
    knowsKey: jwt.knowsKey,
    maxConnections: options.maxOpenConnections,
    onFailure: (err) => fastify.log.error({ err }, 'an open connection could not be closed, paused or resumed'),
  });
  const connections = watchConnections(fastify, open);
  const {
    confirmSession: recheckSession,
    authenticate,
    ...tokens
  } = createAccessTokens({
    ...options,
    ...storage,
    audiences: new Set(audiences),
    readLifetime,
    records: tellChanges(storage.records, open.see),
    readTime,
    jwt,
  });
  const { permissions, countWith, announce } = openPermissions(fastify, options, storage.texts);
  const tickets = createTickets({
    store,
    keyPrefix,
    purposes: options.ticketPurposes,
    sessionPurposes: options.purposes,
    holds: permissions.holds,
    recheck: (principal) => recheckSession(principal).catch(nullForRefusal),
    readTime,
  });
  fastify.decorate('authTokens', {
    ...tokens,
    ...tickets,
    clock: () => failClosed(() => clock.check(), SessionStoreUnavailableError),
    confirm,
    onEnd: connections.onEnd,
    announcePermissionsChange: announce,
  });
  watchClock(fastify, clock);
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('countedWithSession', null);
  fastify.decorateRequest(kToken, null);
  fastify.decorateRequest(kWasWhole, false);

  const unknownPath = { ...closedRoute, audiences } satisfies RouteAccess;
  function accessOf(request: FastifyRequest): RouteAccess {
    if (request.is404) return unknownPath;
    const access = routes.of(request);
    if (access !== undefined) return access;
    // A route from before the plugin without access is closed to everybody, unless it is for OPTIONS alone.
    const isPreflightRoute = [request.routeOptions.method].flat().every((method) => method === 'OPTIONS');
    return isPreflightRoute ? { kind: 'preflight' } : closedRoute;
  }

  // Both hooks run for every request, so they return a promise only if they have to wait.
  fastify.addHook('onRequest', function authenticate(request, reply, done) {
    // Fastify doesn't decorate the requests of scopes that were made before the plugin was registered.
    request.principal ??= null;
    request.countedWithSession ??= null;
    const access = accessOf(request);
    const isOpen = access.kind === 'public' || (access.kind === 'preflight' && isPreflight(request));
    return isOpen ? done() : identify(request, reply, access);
  });

  async function identify(request: FastifyRequest, reply: FastifyReply, access: RouteAccess): Promise<void> {
    const takesQueryToken = options.allowQueryToken && access.kind === 'protected' && access.takesQueryToken;
    const token = presentedToken(request, reply, takesQueryToken);
    // A body that came with the head has arrived by the next turn of the event loop, and one check is enough.
    if (request.raw.complete === false && announcesBody(request)) await nextTurn();
    request[kWasWhole] = request.raw.complete !== false;
    request.principal = await authenticate(token, purposesOf(access), function askWithSession(findKnown) {
      permissions.lookAhead(request, codesOf(access));
      if (access.kind === 'protected') request.countedWithSession = countWith(request, access, findKnown);
    });
    request[kToken] = token;
    connections.watchBody(request, reply);
    connections.watchTakeover(reply);
  }

  fastify.addHook('onRequest', function authorize(request, _reply, done) {
    const access = accessOf(request);
    if (access.kind !== 'protected') return done();
    const { principal } = request;
    if (principal === null) return done(new TokenMissingError());
    if (!access.audiences.includes(principal.audience)) return done(new PermissionDeniedError());
    return access.permissions.length === 0 ? done() : permissions.requireAll(request, principal, access.permissions);
  });

  // The sender decides when the body is complete. By then the session may have ended. In preHandler the body is
  // complete and opened, and no plugin that is registered later has acted on the request.
  fastify.addHook('preHandler', function confirmSession(request, reply, done) {
    // Fastify doesn't decorate the requests of scopes that were made before the plugin was registered.
    if (request[kWasWhole] || !announcesBody(request) || !hasSession(request)) return done();
    return request.raw.complete === false ? confirmUnread(request, reply) : confirm(request);
  });

  /** The handler reads the body itself. */
  async function confirmUnread(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    connections.watchUnreadBody(request, reply);
    await confirm(request);
  }

  async function confirm(request: FastifyRequest): Promise<void> {
    const { principal, [kToken]: token } = request;
    if (principal == null) return;
    // If a handler or another authentication has set the principal, only its session is known.
    const access = accessOf(request);
    if (token == null) return noteProof(request, principal, await recheckSession(principal, purposesOf(access)));
    // Permissions that were loaded before may have been withdrawn.
    permissions.forget(request);
    const codes = codesOf(access);
    const holding = codes.length === 0 ? null : permissions.requireAll(request, principal, codes);
    // Both are read at once. The end of the session takes precedence over a missing permission.
    holding?.catch(() => {});
    noteProof(request, principal, await tokens.recheck(token, purposesOf(access)));
    await holding;
  }

  /** A proof that was withdrawn since the first check must not count for what follows. */
  function noteProof(request: FastifyRequest, principal: Principal, live: Principal): void {
    if (request.principal === principal) request.principal = withProofOf(principal, live);
  }

  // RFC 6750, 3. The header is set here, so that it does not depend on the error handler.
  fastify.addHook('onError', function challengeClient(_request, reply, error, done) {
    challenge(reply, error);
    done();
  });

  fastify.decorateRequest('hasPermission', async function hasPermission(this: FastifyRequest, code: string) {
    if (!options.permissions.includes(code)) throw new TypeError(`${code} is not declared in the option permissions`);
    return this.principal !== null && permissions.holdsAll(this, this.principal, [code]);
  });
}

/** For a check with a negative result. Other failures are not a result. */
function nullForRefusal(error: unknown): null {
  if (isTokenRefused(error) || error instanceof SessionPurposeError) return null;
  throw error;
}

/**
 * Bearer tokens with sessions on the server. Register it before every route, with `await`.
 *
 * @example
 * ```ts
 * const app = Fastify();
 * await app.register(authTokens, {
 *   store: createMemoryStore(),
 *   issuer: 'https://example.com',
 *   signingKey: generateSigningKey(),
 *   permissions,
 *   loadPermissions: async () => ['api:orders:list'], // from your own tables
 * });
 * app.get('/orders', { config: { access: 'admin', permission: 'api:orders:list' } }, async () => ({ data: [] }));
 * ```
 */
export const authTokens = fp(stopsStart(authTokensPlugin), { fastify: '5.x', name: '@sallyport/auth-tokens' });
