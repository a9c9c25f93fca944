import type { App } from '../../http/module.js';

/** `GET /actuator/metrics` (OPS-8): the Prometheus text, for holders of the permission. */
export async function metricsRoute(app: App): Promise<void> {
  app.get(
    '/actuator/metrics',
    {
      exposeHeadRoute: false,
      config: {
        access: 'admin',
        permission: 'api:admin:metrics:read',
        // Scrapers read it several times a minute.
        audit: false,
        // An envelope carries JSON only.
        bypassEnvelope: true,
      },
    },
    async function readMetrics(_request, reply) {
      return reply.type(app.metrics.contentType).send(await app.metrics.read());
    },
  );
}
