import { requireFreeNames, requireScope } from '@sallyport/plugin-kit/routes';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  createEngine,
  type ParameterWarning,
  type SystemParametersPluginOptions as PluginOptions,
  readPluginOptions,
  type SystemParameters,
} from './engine/index.js';
import { SystemParametersSetupError } from './errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Typed values that change at run time. */
    readonly systemParameters: SystemParameters<FastifyRequest>;
  }
}

/** Options of the plugin. */
export type SystemParametersPluginOptions = PluginOptions<FastifyRequest>;

async function systemParametersPlugin(fastify: FastifyInstance, given: SystemParametersPluginOptions): Promise<void> {
  const { scope, ...options } = readPluginOptions<FastifyRequest>(given);
  const place = { subject: 'system-parameters', SetupError: SystemParametersSetupError, scope };
  requireScope(fastify, place);
  requireFreeNames(fastify, place, { fastify: ['systemParameters'] });
  const engine = createEngine<FastifyRequest>({ ...options, warn: (warning) => logWarning(fastify.log, warning) });
  fastify.addHook('onClose', async function endSubscription() {
    await engine.close();
  });
  // Done here and not in onReady, because plugins that are registered later may read values.
  await engine.start();
  fastify.decorate('systemParameters', engine);
}

function logWarning(log: FastifyBaseLogger, warning: ParameterWarning): void {
  switch (warning.kind) {
    case 'stored-value-refused':
      log.warn(
        { key: warning.key, reason: warning.reason },
        'the stored value of a system parameter is refused; its fallback is in force',
      );
      return;
    case 'source-away':
      log.warn({ err: warning.cause }, 'system parameters cannot be read; the last good values stay in force');
      return;
    case 'source-back':
      log.info('system parameters can be read again');
      return;
    case 'notifier-failed':
      log.warn({ err: warning.cause }, 'changes of system parameters are not notified; they take up to maxAgeMillis');
      return;
    case 'notifier-silent':
      log.warn('notifications of system parameters do not arrive; they are polled. Is the notifier behind a pooler?');
      return;
    case 'notifier-back':
      log.info('notifications of system parameters arrive again');
      return;
  }
}

/**
 * Typed values that administrators change at run time.
 *
 * @example
 * ```ts
 * import systemParameters, { createMemorySource } from '@sallyport/system-parameters';
 * import fp from 'fastify-plugin';
 *
 * export const shop = {
 *   isOpen: { key: 'shop.open', type: 'BOOLEAN', default: true, isPublic: true, description: 'Orders are taken' },
 * } as const;
 *
 * export default fp(async (app) => {
 *   await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
 * });
 * ```
 */
export const systemParameters = fp(systemParametersPlugin, { fastify: '5.x', name: '@sallyport/system-parameters' });
