import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCheckpointKey } from '@sallyport/audit-log/postgres';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { inject } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import type { ProcessFacts } from '../../src/preflight/process-facts.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { type OwnRedis, ownRedis } from '../storage/real-redis.js';

type Environment = Record<string, string>;

/** A correct deployment: its own PostgreSQL role, and a Redis that persists and never evicts. */
export interface RightProduction {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly redis: OwnRedis;
  /** A client with the rights of the operator. */
  readonly control: Redis;
  readonly environment: Environment;
  /** Every secret of the environment. */
  readonly secrets: readonly string[];
  facts(environment: Environment): ProcessFacts;
  close(): Promise<void>;
}

const random = (bytes = 32) => randomBytes(bytes).toString('hex');

export async function rightProduction(): Promise<RightProduction> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-production-'));
  const database = await createTestDatabase();
  const [role, databasePassword, redisPassword] = [`p_${random(6)}`, random(), random()];
  await asSuperuser(`create role ${role} login password '${databasePassword}'`);
  await asSuperuser(`alter database ${database.name} owner to ${role}`);
  const databaseUrl = Object.assign(new URL(database.url), { username: role, password: databasePassword }).href;
  const migrated = await openPostgres(databaseUrl);
  await migrated.close();
  const owner = postgres(databaseUrl, { max: 1 });
  await owner`
    insert into system_parameters (key, type, value, default_value, is_public, description, version)
    values ('admin.auth.captcha.enabled', 'BOOLEAN', 'true', 'false', true, 'Captcha', 1)
  `;
  await owner.end();

  const redis = await ownRedis('--appendonly', 'yes');
  const control = new Redis(redis.url);
  await control.config('SET', 'requirepass', redisPassword);

  const own = await ownEnvironment(folder, databaseUrl);
  return {
    folder,
    database,
    redis,
    control,
    environment: {
      ...own.environment,
      SERVICE_REDIS_URL: Object.assign(new URL(redis.url), { password: redisPassword }).href,
      SERVICE_REDIS_KEY_PREFIX: `t-${random(6)}:`,
    },
    secrets: [...own.secrets, databasePassword!, redisPassword!],
    facts: own.facts,
    async close() {
      control.disconnect();
      await redis.kill();
      await database.drop();
      await asSuperuser(`drop role ${role}`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Everything without an error but Redis, which a deployment may do without. */
export async function ownEnvironment(
  folder: string,
  databaseUrl: string,
): Promise<Pick<RightProduction, 'environment' | 'secrets' | 'facts'>> {
  await mkdir(join(folder, 'elsewhere'));
  await mkdir(join(folder, 'console'));
  await writeFile(join(folder, 'console', 'index.html'), '');
  const { privateKey } = generateKeyPairSync('ed25519');
  const tokenKey = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const checkpointKey = generateCheckpointKey('api.sallyport.cn/audit').privateKey;
  const factorKey = randomBytes(32).toString('base64');
  const [envelopeKey, chainKey, signatureKey, gatewayToken, s3Id, s3Secret] = Array.from({ length: 6 }, () => random());
  return {
    environment: {
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_LOG_LEVEL: 'info',
      SERVICE_PORT: '0',
      SERVICE_DATABASE_URL: databaseUrl,
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
      SERVICE_PUBLIC_URL: 'https://api.sallyport.cn',
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: envelopeKey!,
      SERVICE_AUTH_TOKEN_KEY: tokenKey,
      SERVICE_AUTH_SECOND_FACTOR_KEY: `2026-11:${factorKey}`,
      SERVICE_AUDIT_CHAIN_KEY: `2026-11:${chainKey}`,
      SERVICE_AUDIT_CHECKPOINT_KEY: checkpointKey,
      SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'elsewhere', 'checkpoints'),
      SERVICE_APP_AUTH_SMS_REGIONS: 'CN',
      SERVICE_NOTIFICATION_GATEWAY_URL: 'https://sms.sallyport.cn/messages',
      SERVICE_NOTIFICATION_GATEWAY_HEADERS: JSON.stringify({ Authorization: `Bearer ${gatewayToken}` }),
      SERVICE_NOTIFICATION_GATEWAY_SIGNATURE_KEY: signatureKey!,
      SERVICE_STORAGE_S3_BUCKET: 'sallyport-files',
      SERVICE_STORAGE_S3_ENDPOINT: 'https://s3.sallyport.cn',
      SERVICE_STORAGE_S3_ACCESS_KEY_ID: s3Id!,
      SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: s3Secret!,
    },
    secrets: [
      factorKey,
      ...tokenKey.split('\n').filter((line) => /^[^-]/.test(line)),
      ...[checkpointKey, checkpointKey.split('+').slice(4).join('+')],
      ...[envelopeKey, chainKey, signatureKey, gatewayToken, s3Id, s3Secret],
    ] as string[],
    facts: (environment) => ({
      nodeVersion: 'v24.11.0',
      flags: [],
      environment,
      isInspected: false,
      userId: 1000,
      consoleFolder: join(folder, 'console'),
    }),
  };
}

export async function asSuperuser(statement: string): Promise<void> {
  const server = postgres(inject('databaseUrl'), { max: 1 });
  try {
    await server.unsafe(statement);
  } finally {
    await server.end();
  }
}
