import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createHealth, type Health } from './health.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** How the components of the service are. */
    readonly health: Health & {
      /** The server takes no new work: it is about to end. */
      readonly isStopping: boolean;
    };
  }
}

/** The registry of components, and a log line for each that goes or comes back. */
async function healthRegistryPlugin(app: FastifyInstance): Promise<void> {
  let isStopping = false;
  const health = createHealth({
    onChange(component, status) {
      if (status === 'DOWN') app.log.warn({ component }, 'a component of the service is down');
      else app.log.info({ component }, 'a component of the service is up again');
    },
  });
  app.decorate('health', {
    ...health,
    get isStopping() {
      return isStopping;
    },
  });
  app.addHook('preClose', async function noteStop() {
    isStopping = true;
  });
}

export const healthRegistry = fp(healthRegistryPlugin, { fastify: '5.x', name: 'health-registry' });
