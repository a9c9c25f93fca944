import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  createFileCheckpoint,
  createPostgresAuditSink,
  generateCheckpointKey,
  parseAuditKey,
  parseCheckpointKey,
} from '@sallyport/audit-log/postgres';
import { generateSigningKey } from '@sallyport/auth-tokens';
import { sql } from 'drizzle-orm';
import type { ProcessFacts } from '../../src/preflight/process-facts.js';
import type { Database } from '../../src/storage/database.js';
import { openPostgres } from '../../src/storage/postgres.js';
import type { RightProduction } from './right-production.js';

/** One configuration fault, with the id and the fix that preflight must report. */
export interface PlantedFault {
  readonly what: string;
  readonly id: string;
  readonly severity?: 'error' | 'warning' | 'info';
  readonly fix: RegExp;
  /** Undefined: the variable is not set. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly facts?: Partial<ProcessFacts>;
  /** Plants a fault outside of the environment; returns additional variables. */
  readonly plant?: (production: RightProduction) => Promise<Readonly<Record<string, string>>>;
  /** Undoes it. */
  readonly mend?: (production: RightProduction) => Promise<unknown>;
  /** Offset of this machine's clock, in milliseconds. */
  readonly clockMillis?: number;
}

const hex = () => randomBytes(32).toString('hex');
const one = hex();
const ofWord = createHash('sha256').update('changeme').digest('hex');
const hs256 = { SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256' };

const set = (...words: [string, string][]) =>
  async function setRedis({ control }: RightProduction): Promise<Record<string, never>> {
    for (const [name, value] of words) await control.config('SET', name, value);
    return {};
  };

/** A key of checkpoints from these 32 bytes in hexadecimal digits. */
function checkpointKeyOf(seed: string): string {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  const publicBytes = key.export({ format: 'der', type: 'spki' }).subarray(-32);
  const hash = createHash('sha256')
    .update('a/audit\n')
    .update(Buffer.of(1))
    .update(publicBytes)
    .digest('hex')
    .slice(0, 8);
  return `PRIVATE+KEY+a/audit+${hash}+${Buffer.from(`01${seed}`, 'hex').toString('base64')}`;
}

async function onDatabase({ environment }: RightProduction, act: (orm: Database['orm']) => Promise<unknown>) {
  const database = await openPostgres(environment.SERVICE_DATABASE_URL!);
  try {
    await act(database.orm);
  } finally {
    await database.close();
  }
}

/** Records as of a server, with their checkpoint. */
async function writeAuditLog(production: RightProduction, count: number, hasCheckpoint = true): Promise<void> {
  const { environment } = production;
  const ids = createRecordIds(Date.now);
  await onDatabase(production, async (orm) => {
    const sink = createPostgresAuditSink({
      database: orm,
      key: parseAuditKey(environment.SERVICE_AUDIT_CHAIN_KEY!),
      checkpointKey: parseCheckpointKey(environment.SERVICE_AUDIT_CHECKPOINT_KEY!),
      checkpoint: hasCheckpoint ? createFileCheckpoint(environment.SERVICE_AUDIT_CHECKPOINT_FILE!) : null,
    });
    for (let made = 0; made < count; made += 1)
      await sink.append([createAuditRecord({ action: 'thing.create' }, { id: ids(), occurredAt: Date.now() })]);
    await sink.close();
  });
}

async function emptyAuditLog(production: RightProduction): Promise<void> {
  await rm(production.environment.SERVICE_AUDIT_CHECKPOINT_FILE!, { force: true });
  await onDatabase(production, (orm) =>
    orm.execute(sql`truncate audit_records, audit_chain_heads, audit_signed_heads`),
  );
}

const withPassword = (url: string, password: string) => Object.assign(new URL(url), { password }).href;

export const plantedFaults: readonly PlantedFault[] = [
  // The configuration itself.
  { what: 'safe mode on', id: 'config.safe-mode', environment: { SERVICE_SAFE_MODE: 'true' }, fix: /unset/ },
  {
    what: 'query tokens on',
    id: 'config.auth.token.allow-query-token',
    environment: { SERVICE_AUTH_TOKEN_ALLOW_QUERY_TOKEN: 'true' },
    fix: /unset/,
  },
  {
    what: 'a low password cost',
    id: 'config.auth.password.bcrypt-cost',
    environment: { SERVICE_AUTH_PASSWORD_BCRYPT_COST: '8' },
    fix: /at least 12/,
  },
  {
    what: 'no token key',
    id: 'config.auth.token.key',
    environment: { SERVICE_AUTH_TOKEN_KEY: undefined },
    fix: /openssl genpkey/,
  },
  {
    what: 'MFA-1 no key for second factors',
    id: 'config.auth.second-factor.key',
    environment: { SERVICE_AUTH_SECOND_FACTOR_KEY: undefined },
    fix: /openssl rand -base64 32/,
  },
  {
    what: 'no audit key',
    id: 'config.audit.chain-key',
    environment: { SERVICE_AUDIT_CHAIN_KEY: undefined },
    fix: /openssl rand/,
  },
  {
    what: 'AUD-12 no key for the checkpoints',
    id: 'config.audit.checkpoint-key',
    environment: { SERVICE_AUDIT_CHECKPOINT_KEY: undefined },
    fix: /make-key/,
  },
  {
    what: 'every address trusted',
    id: 'config.trusted-proxies',
    environment: { SERVICE_TRUSTED_PROXIES: '0.0.0.0/0' },
    fix: /10\.0\.0\.5/,
  },
  {
    what: 'a misspelt name',
    id: 'config.unknown-variable',
    environment: { SERVICE_TRUSTED_PROXY: '127.0.0.1' },
    fix: /SERVICE_TRUSTED_PROXIES/,
  },
  {
    what: 'SV-11 a mode in small letters',
    id: 'config.api.encryption.mode',
    environment: { SERVICE_API_ENCRYPTION_MODE: 'required' },
    fix: /REQUIRED/,
  },
  {
    what: 'several nodes on the embedded database',
    id: 'config.database-url',
    environment: { SERVICE_NODES: '2', SERVICE_DATABASE_URL: undefined },
    fix: /PostgreSQL/,
  },
  {
    what: 'a public address without encryption',
    id: 'config.public-url',
    environment: { SERVICE_PUBLIC_URL: 'http://api.sallyport.cn' },
    fix: /https/,
  },
  {
    what: 'codes in the clear',
    id: 'config.notification.gateway.url',
    environment: { SERVICE_NOTIFICATION_GATEWAY_URL: 'http://sms.sallyport.cn' },
    fix: /https/,
  },
  {
    what: "a captcha provider's secret for tests",
    id: 'credentials.captcha',
    environment: {
      SERVICE_CAPTCHA_VERIFY_URL: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
      SERVICE_CAPTCHA_VERIFY_SECRET: '1x0000000000000000000000000000000AA',
    },
    fix: /own site/,
  },
  {
    what: 'a captcha provider without encryption',
    id: 'config.captcha.verify-url',
    environment: {
      SERVICE_CAPTCHA_VERIFY_URL: 'http://captcha.sallyport.cn/siteverify',
      SERVICE_CAPTCHA_VERIFY_SECRET: 'pQ3Zk8vN2wYt7rLx',
    },
    fix: /https/,
  },
  {
    what: 'the development profile',
    id: 'profile.development',
    environment: { SERVICE_PROFILE: 'development' },
    fix: /unset/,
  },
  {
    what: 'API documentation on',
    id: 'config.api-docs.enabled',
    environment: { SERVICE_API_DOCS_ENABLED: 'true' },
    fix: /unset/,
  },
  {
    what: 'a console that is not built',
    id: 'console.not-built',
    environment: { SERVICE_CONSOLE_ENABLED: 'true' },
    facts: { consoleFolder: '/nonexistent' },
    fix: /build it/,
  },
  // Refused by the plugins.
  {
    what: 'a short token secret',
    id: 'config.auth.token.key',
    environment: { ...hs256, SERVICE_AUTH_TOKEN_KEY: 'x1y2z3' },
    fix: /openssl rand/,
  },
  {
    what: 'a sample token secret',
    id: 'config.auth.token.key',
    environment: { ...hs256, SERVICE_AUTH_TOKEN_KEY: 'your-256-bit-secret-your-256-bit-secret' },
    fix: /openssl rand/,
  },
  {
    what: 'EC-47 a broad bypass route',
    id: 'config.api.encryption.bypass-routes',
    environment: { SERVICE_API_ENCRYPTION_BYPASS_ROUTES: '/admin/**' },
    fix: /one by one/,
  },
  {
    what: 'the portable backend',
    id: 'config.api.encryption.backend',
    severity: 'warning',
    environment: { SERVICE_API_ENCRYPTION_BACKEND: 'portable' },
    fix: /unset/,
  },
  // Keys.
  {
    what: 'an audit key that counts up',
    id: 'keys.weak',
    environment: {
      SERVICE_AUDIT_CHAIN_KEY: `a:${Array.from({ length: 32 }, (_, i) => i.toString(16).padStart(2, '0')).join('')}`,
    },
    fix: /openssl rand/,
  },
  {
    what: 'a signature key of one letter',
    id: 'keys.weak',
    environment: { SERVICE_NOTIFICATION_GATEWAY_SIGNATURE_KEY: 'a'.repeat(40) },
    fix: /openssl rand/,
  },
  {
    what: 'the hash of a word as a key',
    id: 'keys.guessable',
    environment: { SERVICE_AUDIT_CHAIN_KEY: `a:${ofWord}` },
    fix: /openssl rand/,
  },
  {
    what: 'the hash of a word as the key of the checkpoints',
    id: 'keys.guessable',
    environment: { SERVICE_AUDIT_CHECKPOINT_KEY: checkpointKeyOf(ofWord) },
    fix: /make-key/,
  },
  {
    what: 'one key for two purposes',
    id: 'shared-keys',
    environment: { SERVICE_AUDIT_CHAIN_KEY: `a:${one}`, SERVICE_API_ENCRYPTION_PRIVATE_KEY: one.toUpperCase() },
    fix: /separate key/,
  },
  {
    what: 'a key that is a password too',
    id: 'shared-keys',
    plant: async ({ environment }) => ({
      SERVICE_NOTIFICATION_GATEWAY_SIGNATURE_KEY: new URL(environment.SERVICE_REDIS_URL!).password,
    }),
    fix: /separate key/,
  },
  {
    what: 'a rotation that changed nothing',
    id: 'earlier-keys.present',
    environment: { SERVICE_API_ENCRYPTION_PRIVATE_KEY: one, SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: `old:${one}` },
    fix: /new key/,
  },
  {
    what: 'an earlier key that is kept',
    id: 'earlier-keys.kept',
    severity: 'info',
    environment: { SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: `old:${hex()}` },
    fix: /remove/,
  },
  {
    what: 'the development token key',
    id: 'development-keys',
    async plant({ folder }) {
      const key = generateSigningKey();
      await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
      await writeFile(join(folder, 'data', 'token-key-EdDSA.json'), JSON.stringify(key));
      return { SERVICE_AUTH_TOKEN_KEY: String(key.privateKey).replaceAll('\n', '\\n') };
    },
    fix: /for production only/,
  },
  {
    what: 'AUD-12 the development key of the checkpoints',
    id: 'development-keys',
    async plant({ folder }) {
      const { privateKey } = generateCheckpointKey('development/audit');
      await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
      await writeFile(join(folder, 'data', 'audit-checkpoint-key'), privateKey);
      return { SERVICE_AUDIT_CHECKPOINT_KEY: privateKey };
    },
    fix: /for production only/,
  },
  {
    what: 'AUD-12 a rotation of the key of the checkpoints that changed nothing',
    id: 'earlier-keys.present',
    plant: async ({ environment }) => ({
      SERVICE_AUDIT_PREVIOUS_CHECKPOINT_KEYS: parseCheckpointKey(environment.SERVICE_AUDIT_CHECKPOINT_KEY!).publicKey,
    }),
    fix: /new key/,
  },
  // The network.
  {
    what: 'no trusted proxy',
    id: 'proxies.none',
    environment: { SERVICE_TRUSTED_PROXIES: undefined },
    fix: /addresses of the proxies/,
  },
  {
    what: 'no trusted proxy, listening everywhere',
    id: 'proxies.none',
    environment: { SERVICE_TRUSTED_PROXIES: undefined, SERVICE_HOST: '0.0.0.0' },
    fix: /addresses of the proxies/,
  },
  {
    what: 'a public range of proxies as wide as a continent',
    id: 'proxies.too-wide',
    environment: { SERVICE_TRUSTED_PROXIES: '8.0.0.0/8' },
    fix: /only the addresses of your proxies/,
  },
  {
    what: 'a public range of proxies',
    id: 'proxies.public-range',
    severity: 'warning',
    environment: { SERVICE_TRUSTED_PROXIES: '203.0.113.0/24' },
    fix: /all of it belongs to you/,
  },
  {
    what: 'a whole private network of proxies',
    id: 'proxies.whole-network',
    severity: 'warning',
    environment: { SERVICE_TRUSTED_PROXIES: '10.0.0.0/8' },
    fix: /subnet/,
  },
  {
    what: 'listening everywhere',
    id: 'listening.everywhere',
    severity: 'warning',
    environment: { SERVICE_HOST: '0.0.0.0' },
    fix: /SERVICE_HOST/,
  },
  {
    what: 'metrics for everybody',
    id: 'listening.metrics',
    severity: 'warning',
    environment: { SERVICE_METRICS_PORT: '9464', SERVICE_METRICS_HOST: '0.0.0.0' },
    fix: /only the scraper reaches/,
  },
  {
    what: 'a CORS origin without HTTPS',
    id: 'https.cors-origin',
    environment: { SERVICE_CORS_ORIGINS: 'http://admin.sallyport.cn' },
    fix: /by https/,
  },
  {
    what: 'no public URL',
    id: 'https.unknown',
    severity: 'warning',
    environment: { SERVICE_PUBLIC_URL: undefined },
    fix: /https address/,
  },
  // Encryption and limits.
  {
    what: 'encryption off',
    id: 'encryption.off',
    severity: 'warning',
    environment: { SERVICE_API_ENCRYPTION_MODE: 'OFF' },
    fix: /REQUIRED/,
  },
  {
    what: 'the sign-in in the clear',
    id: 'encryption.bypass-routes',
    environment: { SERVICE_API_ENCRYPTION_BYPASS_ROUTES: '/admin/auth/login POST' },
    fix: /leave out/,
  },
  {
    what: 'thousands of guesses a minute',
    id: 'limits.too-high',
    severity: 'warning',
    environment: { SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '5000' },
    fix: /at most 100/,
  },
  // Messages and files.
  {
    what: 'no gateway',
    id: 'messages.no-gateway',
    severity: 'warning',
    environment: { SERVICE_NOTIFICATION_GATEWAY_URL: undefined },
    fix: /configure the gateway/,
  },
  {
    what: 'the gateway of the documentation',
    id: 'messages.example-gateway',
    environment: { SERVICE_NOTIFICATION_GATEWAY_URL: 'https://gateway.example/messages' },
    fix: /of production/,
  },
  {
    what: 'a placeholder for the gateway',
    id: 'messages.test-credentials',
    environment: { SERVICE_NOTIFICATION_GATEWAY_HEADERS: '{"Authorization":"Bearer changeme-canary"}' },
    fix: /gateway's own/,
  },
  {
    what: 'storage with the credentials of an image',
    id: 'storage.test-credentials',
    environment: { SERVICE_STORAGE_S3_ACCESS_KEY_ID: 'minioadmin', SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: 'minioadmin' },
    fix: /separate user/,
  },
  {
    what: 'files in the clear',
    id: 'storage.clear',
    environment: { SERVICE_STORAGE_S3_ENDPOINT: 'http://s3.sallyport.cn' },
    fix: /https/,
  },
  {
    what: 'several nodes with separate files',
    id: 'storage.not-shared',
    environment: {
      SERVICE_NODES: '2',
      SERVICE_STORAGE_S3_BUCKET: undefined,
      SERVICE_STORAGE_S3_ENDPOINT: undefined,
      SERVICE_STORAGE_S3_ACCESS_KEY_ID: undefined,
      SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: undefined,
    },
    fix: /SERVICE_STORAGE_DIR/,
  },
  {
    what: 'a data folder that everybody may write',
    id: 'folders.open',
    async plant({ folder }) {
      await mkdir(join(folder, 'open'), { recursive: true });
      await chmod(join(folder, 'open'), 0o777);
      return { SERVICE_DATA_DIR: join(folder, 'open') };
    },
    fix: /chmod 700/,
  },
  {
    what: 'no folder for the checkpoints',
    id: 'folders.no-checkpoints',
    environment: { SERVICE_AUDIT_CHECKPOINT_FILE: '/nowhere/at/all/checkpoints' },
    fix: /mount/,
  },
  {
    what: 'AUD-9 no file for the checkpoints',
    id: 'config.audit.checkpoint-file',
    environment: { SERVICE_AUDIT_CHECKPOINT_FILE: undefined },
    fix: /another machine/,
  },
  {
    what: 'checkpoints in a log that drops them',
    id: 'logging.no-checkpoints',
    environment: { SERVICE_AUDIT_CHECKPOINT_LOG: 'true', SERVICE_LOG_LEVEL: 'error' },
    fix: /SERVICE_LOG_LEVEL=info/,
  },
  {
    what: 'no file of leaked passwords',
    id: 'passwords.breached-unknown',
    severity: 'info',
    fix: /make the file/,
  },
  {
    what: 'a file of leaked passwords that holds none',
    id: 'passwords.breached-file',
    environment: { SERVICE_AUTH_PASSWORD_BREACHED_FILE: fileURLToPath(import.meta.url) },
    fix: /hash-passwords\.js/,
  },
  {
    what: 'a receiver of the audit log that does not answer',
    id: 'deliveries.ndjson',
    severity: 'warning',
    environment: {
      SERVICE_AUDIT_NDJSON_URL: 'http://u:canary-of-the-receiver@127.0.0.1:1/in',
      SERVICE_AUDIT_NDJSON_HEADERS: '{"Authorization":"Bearer canary-of-the-header"}',
    },
    fix: /wait in the database/,
  },
  {
    what: 'a syslog receiver that does not answer',
    id: 'deliveries.syslog',
    severity: 'warning',
    environment: { SERVICE_AUDIT_SYSLOG_URL: 'tls://127.0.0.1:1' },
    fix: /certificates/,
  },
  {
    what: 'no file with the authorities of the receivers',
    id: 'deliveries.files',
    environment: { SERVICE_AUDIT_SYSLOG_URL: 'tls://127.0.0.1:1', SERVICE_AUDIT_DELIVERY_CA_FILE: '/nowhere/ca.pem' },
    fix: /PEM/,
  },
  {
    what: 'a file that holds no certificate',
    id: 'deliveries.files',
    environment: {
      SERVICE_AUDIT_SYSLOG_URL: 'tls://127.0.0.1:1',
      SERVICE_AUDIT_DELIVERY_CA_FILE: fileURLToPath(import.meta.url),
    },
    fix: /PEM/,
  },
  {
    what: 'an unencrypted receiver of the audit log',
    id: 'config.audit.ndjson.url',
    environment: { SERVICE_AUDIT_NDJSON_URL: 'http://logs.sallyport.cn/in' },
    fix: /https/,
  },
  {
    what: 'a client certificate without its key',
    id: 'config.audit.delivery.key-file',
    environment: { SERVICE_AUDIT_SYSLOG_URL: 'tls://127.0.0.1:1', SERVICE_AUDIT_DELIVERY_CERT_FILE: '/tmp/client.crt' },
    fix: /both/,
  },
  {
    what: 'headers for no receiver of the audit log',
    id: 'config.audit.ndjson.headers',
    environment: { SERVICE_AUDIT_NDJSON_HEADERS: '{"Authorization":"Bearer canary-of-the-header"}' },
    fix: /SERVICE_AUDIT_NDJSON_URL/,
  },
  {
    what: 'AUD-12 a witness in the clear',
    id: 'checkpoints.clear',
    environment: { SERVICE_AUDIT_WITNESS_URL: 'http://witness.sallyport.cn/audit' },
    fix: /https/,
  },
  {
    what: 'AUD-12 a bucket for checkpoints with the credentials of an image',
    id: 'checkpoints.test-credentials',
    environment: {
      SERVICE_AUDIT_BUCKET_NAME: 'checkpoints',
      SERVICE_AUDIT_BUCKET_ACCESS_KEY_ID: 'minioadmin',
      SERVICE_AUDIT_BUCKET_SECRET_ACCESS_KEY: 'minioadmin',
    },
    fix: /separate user/,
  },
  // The audit log.
  {
    what: 'AUD-9 an audit log that was cut',
    id: 'audit-log.behind',
    async plant(production) {
      await writeAuditLog(production, 5);
      await onDatabase(production, async (orm) => {
        await orm.execute(sql`delete from audit_records where sequence > 2`);
        await orm.execute(sql`update audit_chain_heads set (sequence, mac) =
          (select sequence, mac from audit_records where sequence = 2)`);
      });
      return {};
    },
    mend: emptyAuditLog,
    fix: /accept-state/,
  },
  {
    what: 'AUD-9 an audit log that was restored to an older state and written on',
    id: 'audit-log.different',
    async plant(production) {
      await writeAuditLog(production, 3);
      await onDatabase(production, (orm) =>
        orm.execute(sql`truncate audit_records, audit_chain_heads, audit_signed_heads`),
      );
      await writeAuditLog(production, 4, false);
      return {};
    },
    mend: emptyAuditLog,
    fix: /accept-state/,
  },
  {
    what: 'AUD-9 an audit log without any checkpoint',
    id: 'audit-log.not-compared',
    severity: 'warning',
    async plant(production) {
      await writeAuditLog(production, 1, false);
      return {};
    },
    mend: emptyAuditLog,
    fix: /mount its file system/,
  },
  {
    what: 'AUD-9 checkpoints that cannot be read',
    id: 'audit-log.unreadable',
    plant: async ({ folder }) => ({ SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'elsewhere') }),
    fix: /readable/,
  },
  // The process.
  { what: 'the inspector', id: 'process.inspector', facts: { flags: ['--inspect=0.0.0.0:9229'] }, fix: /without/ },
  {
    what: 'unchecked certificates',
    id: 'process.tls-unverified',
    environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    fix: /unset/,
  },
  { what: 'headers printed', id: 'process.debug-output', environment: { NODE_DEBUG: 'http' }, fix: /unset/ },
  { what: 'root', id: 'process.root', severity: 'warning', facts: { userId: 0 }, fix: /separate user/ },
  { what: 'an old Node', id: 'node.too-old', facts: { nodeVersion: 'v20.18.3' }, fix: /long-term support/ },
  // PostgreSQL.
  {
    what: 'PostgreSQL unavailable',
    id: 'database.unreachable',
    environment: { SERVICE_DATABASE_URL: 'postgres://u:canary-of-the-password@127.0.0.1:1/x' },
    fix: /address, user, password/,
  },
  {
    what: 'a superuser',
    id: 'database.superuser',
    severity: 'warning',
    plant: async ({ database }) => ({ SERVICE_DATABASE_URL: database.url }),
    fix: /separate role/,
  },
  {
    what: 'the password of an image',
    id: 'credentials.database',
    plant: async ({ database }) => ({ SERVICE_DATABASE_URL: withPassword(database.url, 'postgres') }),
    fix: /another one/,
  },
  {
    what: 'a database of a newer release',
    id: 'database.newer',
    plant: ({ database }) =>
      run(database, "insert into reference_server_migrations (hash, created_at) values ('later', 9000000000000)"),
    mend: ({ database }) => run(database, "delete from reference_server_migrations where hash = 'later'"),
    fix: /that release/,
  },
  {
    what: 'a schema in which another application has a table of the same name',
    id: 'database.collision',
    plant: async ({ database }) => {
      await run(database, 'create schema occupied; create table occupied.roles (name text)');
      return { SERVICE_DATABASE_SCHEMA: 'occupied' };
    },
    mend: async ({ database }) => void (await run(database, 'drop schema occupied cascade')),
    fix: /another schema/,
  },
  { what: 'a clock five minutes ahead', id: 'database.clock', clockMillis: 300_000, fix: /NTP/ },
  { what: 'a clock ten seconds behind', id: 'redis.clock', severity: 'warning', clockMillis: -10_000, fix: /NTP/ },
  // Redis.
  {
    what: 'Redis unavailable',
    id: 'redis.unreachable',
    environment: { SERVICE_REDIS_URL: 'redis://:canary-of-the-password@127.0.0.1:1' },
    fix: /address, user, password/,
  },
  {
    what: 'a Redis that evicts',
    id: 'redis.eviction',
    plant: set(['maxmemory', '100mb'], ['maxmemory-policy', 'allkeys-lru']),
    mend: set(['maxmemory', '0'], ['maxmemory-policy', 'noeviction']),
    fix: /noeviction/,
  },
  {
    what: 'a Redis without persistence',
    id: 'redis.persistence',
    severity: 'warning',
    plant: set(['appendonly', 'no']),
    mend: set(['appendonly', 'yes']),
    fix: /appendonly yes/,
  },
  // System parameters.
  {
    what: 'the captcha off',
    id: 'parameters.captcha-off',
    severity: 'warning',
    plant: ({ database }) => run(database, "update system_parameters set value = 'false'"),
    mend: ({ database }) => run(database, "update system_parameters set value = 'true'"),
    fix: /switch it on/,
  },
  {
    what: 'parameters that do not satisfy the named profile',
    id: 'parameters.profile',
    severity: 'warning',
    environment: { SERVICE_POLICY_PROFILE: 'dengbao3' },
    fix: /policy\.js dengbao3 --apply/,
  },
];

async function run(database: RightProduction['database'], statement: string): Promise<Record<string, never>> {
  const { $client } = database.connect({ max: 1 });
  await $client.unsafe(statement);
  await $client.end();
  return {};
}
