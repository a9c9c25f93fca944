import { type ParameterNotifier, type SystemParametersOptions, systemParameters } from '@sallyport/system-parameters';
import { createPostgresNotifier, createPostgresSource, transactionOf } from '@sallyport/system-parameters/postgres';
import { createRedisNotifier } from '@sallyport/system-parameters/redis';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../config/config.js';
import type { Resources } from '../../storage/resources.js';

export interface DynamicParametersOptions {
  readonly config: Pick<Config, 'redis-key-prefix'>;
  readonly resources: Pick<Resources, 'database' | 'redis'>;
  /** Every parameter that the server knows. */
  readonly tables: SystemParametersOptions<FastifyRequest>['tables'];
}

/**
 * The system parameters (SYS-1 to SYS-6): in the database, and told to the other nodes by Redis, or else by the
 * database.
 */
async function dynamicParametersPlugin(
  app: FastifyInstance,
  { config, resources, tables }: DynamicParametersOptions,
): Promise<void> {
  await app.register(systemParameters, {
    tables,
    source: createPostgresSource({ database: resources.database.orm }),
    notifier: notifierOf(config, resources),
    // SYS-2. In the transaction of the change: there is no change without its record, and no record without its change.
    async onChange(change) {
      const { key, oldValue, newValue, version, changedBy, request } = change;
      const details = { target: key, detail: { oldValue, newValue, version } };
      const event = { action: 'system-parameter.update', actor: changedBy, target: key, parameters: details };
      const record = request?.audit?.describe(details) ?? app.auditLog.createRecord(event);
      const transaction = transactionOf(change);
      await request?.idempotency?.completeWithin(transaction);
      await app.auditSink.appendWithin(transaction, [record]);
      (request ?? app).log.info({ target: key, oldValue, newValue, version, changedBy }, 'system parameter changed');
    },
  });
}

function notifierOf(
  config: DynamicParametersOptions['config'],
  { database, redis }: DynamicParametersOptions['resources'],
): ParameterNotifier {
  if (redis === null) return createPostgresNotifier({ client: database.client });
  return createRedisNotifier({ client: redis, channel: `${config['redis-key-prefix']}system-parameters` });
}

export const dynamicParameters = fp(dynamicParametersPlugin, { fastify: '5.x', name: 'dynamic-parameters' });
