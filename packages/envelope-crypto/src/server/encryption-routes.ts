import { readOptions } from '@sallyport/plugin-kit/options';
import { ownCompilers } from '@sallyport/plugin-kit/routes';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeRequiredError, EnvelopeSetupError } from '../errors.js';
import { kRequestState } from './request-state.js';

/** Marks the route that answers the time. It is no name, so that no other route can have it. */
const kTimeRoute = Symbol('@sallyport/envelope-crypto: time route');

/** Whether the router chose the route that answers the time: its envelopes are of any stamp, and no requests. */
export function isTimeRoute({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return Reflect.get(routeOptions.config, kTimeRoute) === true;
}

/**
 * `access` is for @sallyport/auth-tokens: a client without a token must be able to encrypt. `audit` is for
 * @sallyport/audit-log: the answers are the same for everyone, so there is nothing to record.
 */
const PUBLIC_ROUTE: FastifyContextConfig & { readonly access: 'public'; readonly audit: false } = {
  access: 'public',
  audit: false,
};

/**
 * `rateLimit` is for @fastify/rate-limit: how often one address gets the time in a minute. An answer costs an unwrap,
 * and leaves no record by which a repeated envelope could be refused. A client asks once in ten minutes.
 */
const TIME_ROUTE = { ...PUBLIC_ROUTE, [kTimeRoute]: true, rateLimit: { max: 120, timeWindow: 60_000 } };

/**
 * A plugin that registers `GET /encryption/public-key`, where a client learns the key, the mode and the service's
 * clock, and `POST /encryption/time`, where one whose clock is more than ten minutes behind gets the time sealed. Below
 * a prefix the client needs the option `bootstrapPath`. The first route is plaintext in every mode, wherever it is. The
 * second one takes envelopes alone.
 *
 * @example
 * ```ts
 * await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: '2026-11', privateKey });
 * await app.register(replayGuard, { store: createMemoryStore() });
 * await app.register(publicKeyRoute);
 * ```
 */
export async function publicKeyRoute(fastify: FastifyInstance, given: object = {}): Promise<void> {
  readOptions({ subject: 'publicKeyRoute', SetupError: EnvelopeSetupError, isPlugin: true }, given, {});
  async function describeEncryption(_request: FastifyRequest, reply: FastifyReply) {
    reply.header('cache-control', 'no-store');
    return { data: fastify.envelopeCrypto.bootstrap() };
  }
  const url = '/encryption/public-key';
  // The default exemption is by path, and the route may have a prefix.
  const config = { ...PUBLIC_ROUTE, bypassEnvelope: true };
  fastify.get(url, { ...ownCompilers, config, exposeHeadRoute: false }, describeEncryption);
  // GET alone is exempt (EC-49). The HEAD route that Fastify derives would share its config.
  fastify.head(url, { ...ownCompilers, config: PUBLIC_ROUTE }, describeEncryption);

  fastify.post('/encryption/time', { ...ownCompilers, config: TIME_ROUTE }, async function answerTime(request) {
    if (request[kRequestState]?.stage !== 'asked-for-time') throw new EnvelopeRequiredError();
    return { data: { serverTime: fastify.envelopeCrypto.bootstrap().serverTime } };
  });
}
