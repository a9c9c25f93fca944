import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/module.js';

const status = Type.Union([Type.Literal('UP'), Type.Literal('DOWN')]);

const component = Type.Object(
  {
    status,
    details: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    ),
  },
  { title: 'HealthComponent' },
);

const state = Type.Object({ status }, { title: 'HealthState' });

const health = Type.Object(
  { status, components: Type.Optional(Type.Record(Type.String(), component)) },
  { title: 'Health' },
);

/** Public, unencrypted and without a rate limit, whose store could be unavailable. */
const config = { access: 'public', audit: false, rateLimit: false, bypassEnvelope: true } as const;

/** `GET /actuator/health`, `…/liveness` and `…/readiness` (OPS-1): UP, or DOWN with 503. */
export async function healthRoutes(app: App): Promise<void> {
  app.get(
    '/actuator/health',
    { config, schema: { response: { 200: health, 503: health } } },
    async function readHealth(request, reply) {
      const [{ status, components }, isShown] = await Promise.all([app.health.read(), maySeeComponents(request)]);
      return reply.code(status === 'UP' ? 200 : 503).send(isShown ? { status, components } : { status });
    },
  );

  // Checks no store: a process that answers needs no restart.
  app.get('/actuator/health/liveness', { config, schema: { response: { 200: state } } }, async function readLiveness() {
    return { status: 'UP' as const };
  });

  app.get(
    '/actuator/health/readiness',
    { config, schema: { response: { 200: state, 503: state } } },
    async function readReadiness(_request, reply) {
      const isReady = !app.health.isStopping && (await app.health.read()).status === 'UP';
      return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'UP' : 'DOWN' });
    },
  );
}

/** Whether the request has a valid token with the permission. A token that can't be checked counts as none. */
async function maySeeComponents(request: FastifyRequest): Promise<boolean> {
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return false;
  try {
    request.principal = await request.server.authTokens.check(token);
    if ((await request.server.findUnmetDuty(request)) !== null) return false;
    return request.principal.audience === 'admin' && (await request.hasPermission('api:admin:health:read'));
  } catch {
    return false;
  }
}
