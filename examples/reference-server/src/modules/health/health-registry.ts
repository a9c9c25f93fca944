import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createHealth, type Health } from './health.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The health of the components. */
    readonly health: Health & {
      /** The server is shutting down and accepts no new work. */
      readonly isStopping: boolean;
    };
  }
}

/** Decorates the server with the registry and logs each change of a component's status. */
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
