import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { IdempotencyKeyRequiredError, IdempotencySetupError } from './errors.js';
import { checkOptions, type IdempotencyOptions } from './options.js';
import {
  createKeyLookUp,
  digestOf,
  Exchange,
  type IdempotencyRouteOptions,
  type KeyLookUp,
  type KeyPlace,
  methodsOf,
  type RouteSettings,
  readIdempotencyKey,
  readRouteSettings,
  scopeOf,
} from './requests/index.js';
import { createIdempotentRuns } from './runs/index.js';

/** `request.idempotency`. */
export interface RequestIdempotency {
  /** The key, in lower case. */
  readonly key: string;
  /**
   * Completes the record in your drizzle transaction: both commit, or neither. Call it once in the transaction, as its
   * last statement, so that the record is locked for a moment only. Rejects when the record is not this request's any
   * more; let the error through, so that the transaction rolls back. Needs the PostgreSQL store. Requirement IDM-7.
   */
  completeWithin(transaction: object): Promise<void>;
}

/** `fastify.idempotency`. */
export interface Idempotency {
  readonly lookUp: KeyLookUp;
}

const kSettings = Symbol('idempotency.settings');
const kExchange = Symbol('idempotency.exchange');

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a write may be retried under an `Idempotency-Key`. `true`: the header is required. Default false. Requirement IDM-1. */
    idempotency?: boolean | IdempotencyRouteOptions;
  }
  interface FastifyRequest {
    /** The run of this request; null on a route that didn't opt in, and for a request without a key. */
    idempotency: RequestIdempotency | null;
    /** @internal */
    [kExchange]: Exchange | null;
  }
  interface FastifyInstance {
    /** The state of keys. */
    readonly idempotency: Idempotency;
  }
}

async function idempotencyPlugin(fastify: FastifyInstance, given: IdempotencyOptions): Promise<void> {
  const { records, principalOf, isPublic, isSafeFailure, leaseSeconds, retentionSeconds, retryAfterSeconds } =
    checkOptions(given);
  const runs = createIdempotentRuns({
    records,
    leaseMillis: leaseSeconds * 1000,
    retentionMillis: retentionSeconds * 1000,
    retryAfterSeconds,
    warn: (message, cause) => fastify.log.warn({ err: cause }, message),
  });
  const routes: { method: string; url: string }[] = [];
  fastify.decorate('idempotency', { lookUp: createKeyLookUp(runs, routes) });
  fastify.decorateRequest('idempotency', null);
  fastify.decorateRequest(kExchange, null);
  fastify.addHook('onClose', async () => runs.close());

  const faults: string[] = [];
  fastify.addHook('onRoute', function noteIdempotentRoute(route: RouteOptions) {
    const { method, url, config = {}, handler } = route;
    const read = readRouteSettings(
      { method, url, config: config as Record<string, unknown> },
      { isPublic, hasTransactions: records.completeWithin !== null },
    );
    if (read === null) return;
    faults.push(...read.faults);
    routes.push(...methodsOf(route).map((name) => ({ method: name, url })));
    route.config = Object.assign({}, config, { [kSettings]: read.settings });
    route.handler = function observeHandler(request, reply) {
      const exchange = request[kExchange];
      const handle = () => handler.call(this, request, reply);
      return (exchange === null ? handle() : exchange.observe(handle)) as ReturnType<typeof handler>;
    };
  });
  fastify.addHook('onReady', async function refuseFaultyStart() {
    if (given.principalOf === undefined && routes.length > 0 && !fastify.hasRequestDecorator('principal')) {
      faults.push(
        'principalOf must be given where nothing decorates request.principal: keys of two callers would be one',
      );
    }
    if (faults.length > 0) throw new IdempotencySetupError(faults.join('; '));
  });

  // After the schema has been checked, so that what is refused there is not recorded.
  fastify.addHook('preHandler', function beginIdempotent(request, reply, done) {
    const settings = settingsOf(request);
    return settings === null ? done() : begin(request, reply, settings);
  });

  async function begin(request: FastifyRequest, reply: FastifyReply, settings: RouteSettings): Promise<void> {
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    if (key === null) {
      if (settings.isRequired) throw new IdempotencyKeyRequiredError();
      return;
    }
    const { isTransactional } = settings;
    const place = placeOf(request, key);
    const run = await runs.begin({ scope: scopeOf(place), digest: digestOf(place, request), isTransactional });
    request.idempotency = { key, completeWithin: run.completeWithin };
    request[kExchange] = new Exchange({ run, reply, isTransactional, isSafeFailure });
  }

  fastify.addHook('onError', function noteFailure(request, _reply, error, done) {
    request[kExchange]?.noteFailure(error);
    done();
  });

  fastify.addHook('onSend', function completeIdempotent(request, _reply, _payload, done) {
    const exchange = request[kExchange];
    if (exchange === null) done();
    else exchange.completeBeforeReply().then(() => done(), done);
  });

  function placeOf(request: FastifyRequest, key: string): KeyPlace {
    const { method, params, routeOptions } = request;
    const { url = '', config } = routeOptions;
    const principal = principalOf(request);
    if (principal === null && !isPublic(config as unknown as Record<string, unknown>)) {
      throw new IdempotencySetupError(`principalOf says null on ${method} ${url}, which is not public`);
    }
    return { principal, method, url, params, key };
  }
}

/** Null: the route didn't opt in. One that did before this plugin was there would run unprotected. */
function settingsOf({ routeOptions, is404 }: FastifyRequest): RouteSettings | null {
  if (is404) return null;
  const { config, method, url } = routeOptions;
  const { [kSettings]: settings, idempotency } = config as { [kSettings]?: RouteSettings; idempotency?: unknown };
  if (settings !== undefined) return settings;
  if (idempotency === undefined || idempotency === false) return null;
  throw new IdempotencySetupError(`register it before the route ${method} ${url}`);
}

/** Lets a write be retried without being done twice. Register it after authentication and decryption, and before what records replies. */
export const idempotency = fp(idempotencyPlugin, { fastify: '5.x', name: '@sallyport/idempotency' });
