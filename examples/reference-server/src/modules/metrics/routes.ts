import type { App } from '../../http/module.js';

/** `GET /actuator/metrics` (OPS-8): what Prometheus reads, for holders of the permission. */
export async function metricsRoute(app: App): Promise<void> {
  app.get(
    '/actuator/metrics',
    {
      exposeHeadRoute: false,
      config: {
        access: 'admin',
        permission: 'api:admin:metrics:read',
        // Asked for several times a minute, by a machine.
        audit: false,
        // Text, which no envelope carries.
        bypassEnvelope: true,
      },
    },
    async function readMetrics(_request, reply) {
      return reply.type(app.metrics.contentType).send(await app.metrics.read());
    },
  );
}
