import { createHash } from 'node:crypto';
import {
  type ParameterNotifier,
  type ParameterSource,
  type ParameterValue,
  SYSTEM_PARAMETERS_DEFAULTS,
  type SystemParametersOptions,
  systemParameters,
} from '@sallyport/system-parameters';
import {
  createPostgresNotifier,
  createPostgresSource,
  POSTGRES_NOTIFIER_DEFAULTS,
  transactionOf,
} from '@sallyport/system-parameters/postgres';
import { createRedisNotifier } from '@sallyport/system-parameters/redis';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../config/config.js';
import type { AccessFence } from '../../protection/access-fence.js';
import type { Database } from '../../storage/database.js';
import type { Resources } from '../../storage/opened-resources.js';
import { DEFAULT_DATABASE_SCHEMA } from '../../storage/schema-target.js';

export interface DynamicParametersOptions {
  readonly config: Pick<Config, 'redis-key-prefix' | 'database-schema'>;
  readonly resources: Pick<Resources, 'database' | 'redis'>;
  /** The parameter tables of all modules. */
  readonly tables: SystemParametersOptions<FastifyRequest>['tables'];
  readonly fence: AccessFence;
}

/**
 * The system parameters (SYS-1 to SYS-6). They are stored in the database. Changes are announced to other nodes through
 * Redis if it is configured, else through the database.
 */
async function dynamicParametersPlugin(
  app: FastifyInstance,
  { config, resources, tables, fence }: DynamicParametersOptions,
): Promise<void> {
  await app.register(systemParameters, {
    tables,
    source: sourceOf(resources.database),
    notifier: notifierOf(config, resources),
    // SYS-2. Change and record commit in one transaction.
    async onChange(change) {
      const { key, oldValue, newValue, version, changedBy, request } = change;
      const details = { target: key, detail: { oldValue, newValue, version, ...digestOf(newValue) } };
      const event = { action: 'system-parameter.update', actor: changedBy, target: key, parameters: details };
      const record = request?.audit?.describe(details) ?? app.auditLog.createRecord(event);
      const transaction = transactionOf(change);
      await request?.idempotency?.completeWithin(transaction);
      await app.auditSink.appendWithin(transaction, [record]);
      if (request !== undefined) await fence.confirm(transaction, request);
      (request ?? app).log.info({ target: key, oldValue, newValue, version, changedBy }, 'system parameter changed');
    },
  });
}

/** Shorter texts are recorded whole. */
const MIN_LENGTH_WITH_DIGEST = 500;

/** A record cuts a long text. Others with the same beginning have another digest. */
function digestOf(value: ParameterValue): { readonly sha256?: string } {
  if (typeof value !== 'string' || value.length < MIN_LENGTH_WITH_DIGEST) return {};
  return { sha256: createHash('sha256').update(value).digest('hex') };
}

/** The owner of the turn, under which these changes wait like all others. */
function sourceOf({ orm, turns }: Database): ParameterSource {
  const source = createPostgresSource({ database: orm });
  return {
    ...source,
    // After the limit the change has been refused.
    write(write) {
      const limit = AbortSignal.timeout(SYSTEM_PARAMETERS_DEFAULTS.timeoutMillis);
      return turns.take(`admin:${write.updatedBy}`, limit, () => source.write(write));
    },
  };
}

function notifierOf(
  config: DynamicParametersOptions['config'],
  { database, redis }: DynamicParametersOptions['resources'],
): ParameterNotifier {
  if (redis === null) {
    return createPostgresNotifier({ client: database.client, channel: channelOf(config['database-schema']) });
  }
  return createRedisNotifier({ client: redis, channel: `${config['redis-key-prefix']}system-parameters` });
}

/**
 * Channels of LISTEN and NOTIFY belong to the whole database, so each schema has its own (OPS-11). The name is a hash,
 * because the name of a schema may be as long as that of a channel.
 */
function channelOf(schema: string): string {
  const { channel } = POSTGRES_NOTIFIER_DEFAULTS;
  if (schema === DEFAULT_DATABASE_SCHEMA) return channel;
  return `${channel}:${createHash('sha256').update(schema).digest('hex').slice(0, 32)}`;
}

export const dynamicParameters = fp(dynamicParametersPlugin, { fastify: '5.x', name: 'dynamic-parameters' });
