import { coverRoutes, methodsOf, requireFreeNames, stopsStart } from '@sallyport/plugin-kit/routes';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import {
  IdempotencyKeyRequiredError,
  IdempotencyProcessingError,
  IdempotencySetupError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from './errors.js';
import { type IdempotencyOptions, readIdempotencyOptions } from './options.js';
import { principalFaults, readPrincipal } from './principal.js';
import {
  type CompleteWithinOptions,
  createKeyLookUp,
  declaresIdempotency,
  digestOf,
  type IdempotencyRouteOptions,
  type KeyLookUp,
  type KeyPlace,
  kSentRequest,
  openAnswer,
  RequestState,
  type RouteSettings,
  readBeforeValidation,
  readIdempotencyKey,
  readRouteSettings,
  refuseUnreadBody,
  scopeOf,
  sealAnswer,
  secretFaults,
  watchReplies,
} from './requests/index.js';
import { createIdempotentRuns, deferRun, type Run } from './runs/index.js';

/** `request.idempotency`. */
export interface RequestIdempotency {
  /** The key, in lower case. */
  readonly key: string;
  /**
   * Begins the run of a route with `content: 'in-handler'`: any JSON value that is equal for a request and its retry,
   * such as the hash of an upload and its name. Call it once, before the first effect. Rejects like the plugin itself
   * does for a retry (409, 422, 503), and for a value that has no canonical form (400); let the error through. Until
   * then the key is unused.
   */
  begin(content: unknown): Promise<void>;
  /**
   * Completes the record in your drizzle transaction: both commit, or neither. Call it once, as the last statement of
   * the transaction, so that the record is locked only briefly. Await it: without `await` the transaction could commit
   * although the record is not completed, so the reply is 500 (`IDEMPOTENCY_NOT_COMPLETED`). The reply is the same if
   * the handler succeeds although the transaction or a savepoint around the call was rolled back. Rejects if this
   * request has lost the record; let the error through, so that the transaction rolls back. Needs the PostgreSQL store.
   */
  completeWithin(transaction: object, options?: CompleteWithinOptions): Promise<void>;
}

/** `fastify.idempotency`. */
export interface Idempotency {
  readonly lookUp: KeyLookUp;
}

const SUBJECT = 'idempotency';

const kRequestState = Symbol('idempotency.request-state');
const kHasFailed = Symbol('idempotency.has-failed');

/**
 * Plugins whose `onSend` runs earlier find under this name what decides whether a success stands: a function that
 * rejects with the error that will be the answer, and resolves to false for that answer. @sallyport/audit-log asks it
 * before it records the outcome, also that of a reply that the handler took over. An error says that nothing was done
 * for this reply: it is the first answer again, and the record has the error.
 */
const kConfirmReply = Symbol.for('@sallyport/confirm-reply');

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether retries under an `Idempotency-Key` are safe. `true` requires the header. Default false. */
    idempotency?: boolean | IdempotencyRouteOptions;
  }
  interface FastifyRequest {
    /** The run of this request; null on routes that didn't opt in, and without a key. */
    idempotency: RequestIdempotency | null;
    /** @internal */
    [kRequestState]: RequestState | null;
    /** @internal */
    [kHasFailed]: boolean;
    /** @internal */
    [kConfirmReply]: (() => Promise<boolean | Error>) | null;
  }
  interface FastifyInstance {
    /** Looks up the state of keys. */
    readonly idempotency: Idempotency;
  }
}

async function idempotencyPlugin(fastify: FastifyInstance, given: IdempotencyOptions): Promise<void> {
  const options = readIdempotencyOptions(given);
  warnOfMemoryStore(
    {
      subject: SUBJECT,
      store: given.store,
      losses: 'a restart forgets every key, and another process knows none of them, so that a retry runs twice',
      instead:
        'createPostgresIdempotencyStore of @sallyport/idempotency/postgres, or a store that all processes share, such ' +
        'as createRedisStore of @sallyport/ttl-store',
    },
    fastify.log,
  );
  const { records, principalOf, isPublic, isSafeFailure, answerKeys } = options;
  const runs = createIdempotentRuns({
    records,
    leaseMillis: options.leaseSeconds * 1000,
    retentionMillis: options.retentionSeconds * 1000,
    retryAfterSeconds: options.retryAfterSeconds,
    warn: (message, cause) => fastify.log.warn({ err: cause }, message),
  });
  const watchReply = watchReplies(fastify, stateOf);
  const optedIn: { method: string; url: string }[] = [];
  const faults: string[] = [];
  const rules = { isPublic, hasTransactions: records.completeWithin !== null, hasAnswerKeys: answerKeys.length > 0 };
  const routes = coverRoutes<RouteSettings | null>(fastify, {
    subject: SUBJECT,
    SetupError: IdempotencySetupError,
    scope: options.scope,
    allowEarlierRoutes: options.allowEarlierRoutes,
    members: ['idempotency'],
    declares: declaresIdempotency,
    read: (route) => readRouteSettings(route, rules),
    prepare(route, settings) {
      if (settings === null) return;
      if (settings.keeps === 'body') faults.push(...secretFaults(route));
      optedIn.push(...methodsOf(route).map((method) => ({ method, url: route.url })));
      observeHandler(route);
      if (settings.isReadAsSent) readBeforeValidation(route);
    },
    // The plugin would not see the end of their handlers.
    coversEarlier: false,
    isOptIn: true,
    faultsWhenReady: () => [
      ...(options.needsPrincipal && optedIn.length > 0 ? principalFaults(fastify) : []),
      ...faults,
    ],
  });
  requireFreeNames(
    fastify,
    { subject: SUBJECT, SetupError: IdempotencySetupError },
    { fastify: ['idempotency'], request: ['idempotency'] },
  );
  fastify.decorate('idempotency', { lookUp: createKeyLookUp(runs, optedIn) });
  fastify.decorateRequest('idempotency', null);
  fastify.decorateRequest(kRequestState, null);
  fastify.decorateRequest(kSentRequest, null);
  fastify.decorateRequest(kHasFailed, false);
  fastify.decorateRequest(kConfirmReply, null);
  fastify.addHook('onClose', async () => runs.close());

  // A preHandler hook, so that requests that fail validation are not recorded.
  fastify.addHook('preHandler', function beginIdempotent(request, reply, done) {
    const settings = routes.of(request) ?? null;
    request.idempotency ??= null;
    return settings === null ? done() : begin(request, reply, settings);
  });

  /** Resolves with the reply where a retry gets the first answer: the hooks and the handler after it don't run. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    settings: RouteSettings,
  ): Promise<FastifyReply | undefined> {
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    if (key === null) {
      if (settings.isRequired) throw new IdempotencyKeyRequiredError();
      return undefined;
    }
    const { isTransactional, isBegunInHandler, keeps, keptHeaders } = settings;
    const place = placeOf(request, key);
    const scope = scopeOf(place);
    const start = (body: unknown) => {
      const content = request[kSentRequest]?.content ?? { query: request.query, body };
      return runs.begin({ scope, digest: digestOf(place, content), isTransactional });
    };
    const deferred = isBegunInHandler ? deferRun(async (content) => start(content)) : null;
    if (deferred === null) refuseUnreadBody(request);
    let run: Run;
    try {
      run = deferred ?? (await start(request.body));
    } catch (error) {
      if (keeps === 'body' && error instanceof IdempotencySubmittedError)
        return answerAgain(request, reply, scope, error);
      throw error;
    }
    // `handlerTimeout` has answered meanwhile: the handler will not run.
    if (request[kHasFailed] === true) {
      await run.settle('nothing-done');
      return reply;
    }
    const warn = (message: string) => request.log.warn(message);
    const route = `${place.method} ${place.url}`;
    const seal = (text: string) => sealAnswer(answerKeys[0] as Uint8Array, scope, text);
    const kept = { keeps, keptHeaders, seal };
    watchReply(reply);
    const state = new RequestState({ run, reply, route, isTransactional, isSafeFailure, warn, ...kept });
    request.idempotency = {
      key,
      begin: deferred?.begin ?? refuseBegin,
      completeWithin: (transaction, options) => state.completeWithin(transaction, options),
    };
    request[kRequestState] = state;
    request[kConfirmReply] = () => state.confirmReply();
    return undefined;
  }

  function answerAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: string,
    error: IdempotencySubmittedError,
  ): FastifyReply {
    const sealed = IdempotencySubmittedError.answerOf(error);
    const answer = sealed === null ? null : openAnswer(answerKeys, scope, sealed);
    if (answer === null || error.originalStatus === null) throw error;
    request[kConfirmReply] = async () => error;
    if (error.location !== null) reply.header('location', error.location);
    return reply
      .code(error.originalStatus)
      .headers(answer.headers)
      .header('idempotent-replayed', 'true')
      .send(answer.body);
  }

  fastify.addHook('onError', function noteFailure(request, reply, error, done) {
    request[kHasFailed] = true;
    stateOf(request)?.noteFailure(error);
    // The headers are set here, so that they do not depend on the error handler.
    if (error instanceof IdempotencyProcessingError || error instanceof IdempotencyStoreUnavailableError) {
      reply.headers(error.headers);
    }
    if (error instanceof IdempotencySubmittedError && error.location !== null) reply.header('location', error.location);
    done();
  });

  fastify.addHook('onSend', function completeIdempotent(request, _reply, payload, done) {
    const state = stateOf(request);
    // The promise is returned, not chained, so that Fastify answers 500 if the reply can't be written, and the process
    // continues.
    return state === null ? done() : state.completeBeforeReply(payload).then(() => undefined);
  });

  function placeOf(request: FastifyRequest, key: string): KeyPlace {
    const { method, params, routeOptions } = request;
    const { url = '', config } = routeOptions;
    const isOpen = () => isPublic(config as unknown as Record<string, unknown>);
    const principal = readPrincipal(principalOf(request), `${method} ${url}`, isOpen);
    return { principal, method, url, params: request[kSentRequest]?.params ?? params, key };
  }
}

/**
 * Null without a run. Fastify doesn't decorate the requests of scopes that were made before the plugin was registered.
 */
function stateOf(request: FastifyRequest): RequestState | null {
  return request[kRequestState] ?? null;
}

async function refuseBegin(): Promise<never> {
  throw new IdempotencySetupError('begin', ["the run began before the handler: give the route content: 'in-handler'"]);
}

/** Wraps the handler of a route with a run, and settles the run by its outcome. */
function observeHandler(route: RouteOptions): void {
  const { handler } = route;
  route.handler = function observed(request, reply) {
    // Fastify starts the handler if the refusal has not been sent to its end, although the key may be free again.
    if (request[kHasFailed] === true) return undefined as ReturnType<typeof handler>;
    const state = stateOf(request);
    const handle = () => handler.call(this, request, reply);
    return (state === null ? handle() : state.observe(handle)) as ReturnType<typeof handler>;
  };
}

/**
 * Makes retries of a write safe: it never runs twice. Register it after authentication, decryption and replay
 * protection, directly before the routes.
 *
 * @example
 * ```ts
 * const app = Fastify({ logger: true });
 *
 * // In production the id of the signed-in caller. Leave it out with @sallyport/auth-tokens.
 * await app.register(idempotency, { store: createMemoryStore(), principalOf: () => 'ada' });
 *
 * app.post('/payments', { config: { idempotency: { result: 'location' } } }, async ({ body }, reply) => {
 *   const id = payments.push(body);
 *   return reply.code(201).header('location', `/payments/${id}`).send({ data: { id } });
 * });
 * ```
 */
export const idempotency = fp(stopsStart(idempotencyPlugin), { fastify: '5.x', name: '@sallyport/idempotency' });
