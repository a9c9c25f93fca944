import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../config/config.js';
import { listenFault } from '../../http/listen-fault.js';
import type { NotificationQueue } from '../notifications/index.js';
import { type MetricsListener, openMetricsListener } from './metrics-listener.js';
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of the service (OPS-8). */
    readonly metrics: ServiceMetrics & {
      /** The address that serves them without a token; null if there is none. */
      readonly origin: string | null;
    };
  }
  interface FastifyRequest {
    /** The refusal code that the client received. Null if the request was not refused. */
    refusalCode: string | null;
  }
}

export interface MetricsOptions {
  readonly config: Pick<Config, 'metrics.host' | 'metrics.port'>;
}

/** The modules that are observed. */
export interface MetricsDependencies {
  readonly notifications: { readonly queue: Pick<NotificationQueue, 'counts'> };
}

/** Counts every answer, and opens the listener for scrapers if one is configured. */
async function metricsPlugin(app: FastifyInstance, { config }: MetricsOptions): Promise<void> {
  const metrics = createServiceMetrics();
  let listener: MetricsListener | null = null;
  app.decorate('metrics', {
    ...metrics,
    get origin() {
      return listener?.origin ?? null;
    },
  });
  app.decorateRequest('refusalCode', null);
  const routeOf = (request: FastifyRequest) => (request.is404 ? null : (request.routeOptions.url ?? null));
  app.addHook('onResponse', function countAnswer(request: FastifyRequest, reply, done) {
    const { statusCode, elapsedTime } = reply;
    metrics.requests.count(request.method, routeOf(request), statusCode, elapsedTime);
    metrics.noteAnswer({
      code: request.refusalCode,
      status: statusCode,
      hadEnvelope: request.envelope !== null,
      hadKey: request.idempotency !== null,
    });
    done();
  });
  // After an abort there is no response to wait for.
  app.addHook('onRequestAbort', function countAbort(request: FastifyRequest, done) {
    metrics.requests.countAborted(request.method, routeOf(request));
    done();
  });

  const { 'metrics.host': host, 'metrics.port': port } = config;
  app.addHook('onReady', async function openAddress() {
    if (port === null) return;
    try {
      listener = await openMetricsListener(metrics, { host, port });
    } catch (error) {
      throw listenFault(error, { host, port, settings: { host: 'metrics.host', port: 'metrics.port' } });
    }
    app.log.info({ address: listener.origin }, 'metrics are served without a token at this address');
  });
  app.addHook('onClose', async function closeAddress() {
    await listener?.close();
  });
}

export const metricsRegistry = fp(metricsPlugin, { fastify: '5.x', name: 'metrics' });
