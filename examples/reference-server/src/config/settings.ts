// Longer than 300 lines: one table of every setting is easier to search than several.
import { INSPECTION_DEFAULTS } from '@sallyport/upload-policy';
import {
  auditKey,
  bodyTemplate,
  checkpointKey,
  checkpointPublicKey,
  factorKey,
  flag,
  headers,
  integer,
  listOf,
  modulePath,
  namedKey,
  oneOf,
  origin,
  privateKey,
  proxyRange,
  publicKeyOrSecret,
  region,
  type SettingType,
  text,
  textEncodings,
  url,
  urlWithoutUser,
} from './setting-types.js';
import { terminals } from './terminal-setting.js';

/**
 * One property of the configuration. The name of its variable follows from the property: `a.b-c.d` is
 * `SERVICE_A_B_C_D`.
 */
export interface Setting<Value, Default extends Value | null = Value | null> {
  readonly type: SettingType<Value>;
  /** The value if the variable is not set. With null there is none, and `meaning` describes the effect. */
  readonly default: Default;
  /** The value is a password or key. The start banner and `--help` omit it. */
  readonly secret?: true;
  readonly meaning: string;
}

/** A task at this cost takes almost the 2 s after which it is ended (PWD-3). */
export const MAX_BCRYPT_COST = 15;

function setting<Value, const Default extends Value | null>(
  type: SettingType<Value>,
  defaultValue: Default,
  meaning: string,
): Setting<Value, Default> {
  return { type, default: defaultValue, meaning };
}

function secret<Value>(type: SettingType<Value>, meaning: string): Setting<Value, null> {
  return { type, default: null, secret: true, meaning };
}

const keyId = text(
  '1 to 64 of A-Z a-z 0-9 . _ -',
  /^[A-Za-z0-9._-]{1,64}$/,
  'write 1 to 64 letters, digits, dots, underscores or hyphens',
);
const anything = text('text', /^[^\0]+$/, 'write text without NUL');
const seconds = (maximum: number) => integer(1, maximum);

/** Maximum window of a counter: one day, in seconds. */
const DAY = 86_400;

/** All settings. README, `--help` and the startup check are generated from this table (OPS-10). */
export const settings = {
  profile: setting(
    oneOf('production', 'development'),
    'production',
    'development generates keys and creates a test account; production requires its own keys',
  ),
  'safe-mode': setting(
    flag,
    false,
    'for demonstrations: refuses every write except sign-in and sign-out, and sends no message; production refuses true',
  ),
  host: setting(
    text('host name or IP', /^[A-Za-z0-9.:_-]{1,255}$/, 'write an address or a host name without a port'),
    '127.0.0.1',
    'address to listen on',
  ),
  port: setting(integer(0, 65_535), 3000, 'port to listen on; 0 selects a free port'),
  'public-url': setting(
    origin,
    null,
    'public address of the service, such as https://api.example.com; production requires https, which the proxy in front of the server provides',
  ),
  'preflight.module': setting(modulePath, null, "ES module with a deployment's own preflight checks"),
  'policy.profile': setting(
    oneOf('interface-document', 'nist', 'dengbao3'),
    null,
    'profile with which the preflight compares the parameters; the command policy sets them',
  ),
  'request-timeout-seconds': setting(
    integer(5, 1800),
    30,
    'timeout for receiving a request; a longer one helps slow uploads, and slow attackers',
  ),
  'log-level': setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'minimum severity of log lines',
  ),
  nodes: setting(
    integer(1, 10_000),
    1,
    'number of server processes; more than one requires PostgreSQL, and Redis is recommended',
  ),
  'data-dir': setting(
    anything,
    '.data',
    'folder (mode 0700) of the embedded database and of the keys that development generates',
  ),
  'storage.dir': setting(
    anything,
    null,
    'folder (mode 0700) of the stored files, or with a bucket of uploads in progress only; unset: files in the data folder',
  ),
  'storage.s3.bucket': setting(
    text('S3 bucket name', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'write 3 to 63 of a-z 0-9 . -'),
    null,
    'bucket of an S3-compatible store, used for the stored files only; unset: the folder',
  ),
  'storage.s3.endpoint': setting(url('https:', 'http:'), null, 'address of that store; unset: Amazon S3 in the region'),
  'storage.s3.region': setting(
    text('S3 region name', /^[a-z0-9-]{1,64}$/, 'write 1 to 64 of a-z 0-9 -'),
    'us-east-1',
    'its region; stores without regions accept any',
  ),
  'storage.s3.path-style': setting(flag, false, 'put the bucket in the path, not in the host name'),
  'storage.s3.access-key-id': secret(
    anything,
    'its access key; unset: credentials from the environment, such as the role of the instance',
  ),
  'storage.s3.secret-access-key': secret(anything, 'the secret that belongs to the access key'),
  'upload.text-encodings': setting(
    textEncodings,
    INSPECTION_DEFAULTS.textEncodings,
    'encodings in which uploaded text is accepted, tried in this order; utf-16 needs a byte-order mark',
  ),
  'database-url': setting(
    url('postgres:', 'postgresql:'),
    null,
    'PostgreSQL; unset: the embedded database in the data folder',
  ),
  'database-schema': setting(
    text(
      '1 to 63 of A-Z a-z 0-9 _',
      /^(?!pg_|(?:information_schema|bullmq)$)[A-Za-z_][A-Za-z0-9_]{0,62}$/,
      'write 1 to 63 letters, digits or underscores, a letter first; not pg_…, information_schema or bullmq',
    ),
    'public',
    'schema of PostgreSQL that holds all tables of the server; created at the start if it does not exist; unique to this service',
  ),
  'database-schema-is-new': setting(
    flag,
    false,
    'true starts an empty service although another schema of the database holds the tables of one; for the first start',
  ),
  'redis-url': setting(
    url('redis:', 'rediss:'),
    null,
    'Redis for sessions, nonces, rate limits and the notification queue; unset: they are in the database',
  ),
  'redis-cluster': setting(flag, false, 'the Redis URL names a node of a Redis Cluster'),
  'redis-key-prefix': setting(
    text(
      '1 to 64 of A-Z a-z 0-9 . _ : -',
      /^[A-Za-z0-9._:-]{1,64}$/,
      'write 1 to 64 letters, digits, dots, underscores, colons or hyphens',
    ),
    'sallyport:',
    'prefix of every key in Redis; unique to this service',
  ),
  'trusted-proxies': setting(listOf(proxyRange), [], 'peers whose X-Forwarded-For, X-Real-IP and X-Request-Id count'),
  'cors-origins': setting(listOf(origin), [], 'web origins from which browsers may call'),
  'metrics.port': setting(
    integer(0, 65_535),
    null,
    'port that serves /metrics without a token; unset: only holders of the permission can read the metrics',
  ),
  'metrics.host': setting(
    text('host name or IP', /^[A-Za-z0-9.:_-]{1,255}$/, 'write an address or a host name without a port'),
    '127.0.0.1',
    'address of that port; only the scraper should reach it',
  ),
  'api-docs.enabled': setting(flag, false, 'serve the public API documentation at /api-docs; production refuses true'),
  'console.enabled': setting(
    flag,
    null,
    'serve the console at /console/, to which / then leads; unset: in development only',
  ),
  'console.session': setting(
    oneOf('tab', 'browser'),
    'tab',
    'where a sign-in to the console counts: in its tab, or also in new tabs of the same browser, to which an open one hands it',
  ),
  'api.encryption.mode': setting(
    oneOf('OFF', 'OPTIONAL', 'REQUIRED'),
    'OFF',
    'OFF ignores envelopes, OPTIONAL accepts both, REQUIRED requires an envelope on every route that is not exempt',
  ),
  'api.encryption.suite': setting(oneOf('sm2-sm4-gcm-v1'), 'sm2-sm4-gcm-v1', 'the cipher suite'),
  'api.encryption.version': setting(oneOf('1'), '1', 'the protocol version'),
  'api.encryption.key-id': setting(keyId, null, 'identifier of the key; unset: derived from the public key'),
  'api.encryption.private-key': secret(privateKey, 'SM2 private key; required unless the mode is OFF'),
  'api.encryption.previous-keys': secret(
    listOf(namedKey(privateKey)),
    'earlier private keys that are still accepted, kid:hex',
  ),
  'api.encryption.key-provider-module': setting(
    modulePath,
    null,
    'ES module that yields the keys, in place of the variables above, and replaces them while the server runs',
  ),
  'api.encryption.bypass-routes': setting(listOf(anything), [], 'additional unencrypted routes, PATH or PATH METHOD'),
  'api.encryption.timestamp-window-seconds': setting(seconds(DAY), 300, 'maximum clock difference of a client'),
  'api.encryption.replay-ttl-seconds': setting(seconds(DAY), 300, 'minimum time for which a nonce is remembered'),
  'api.encryption.clock-skew-seconds': setting(
    integer(60, DAY),
    240,
    'additional time for which a nonce is remembered; a node whose clock differs from the store by more is not ready',
  ),
  'api.encryption.max-payload-bytes': setting(
    integer(1024, 16_777_216),
    65_536,
    'maximum plaintext of one envelope, in bytes',
  ),
  'api.encryption.backend': setting(
    oneOf('auto', 'kernel', 'portable'),
    'auto',
    'implementation: the WebAssembly kernel, or JavaScript in worker threads; auto: the kernel if it works',
  ),
  'api.encryption.max-waiting-unwraps': setting(
    integer(1, 10_000),
    256,
    'envelopes that may wait for a thread of the portable backend; further ones get 503',
  ),
  'api.encryption.kernel-thread': setting(
    flag,
    null,
    'run the kernel in an additional thread under load; unset: on machines with several cores',
  ),
  'auth.token.algorithm': setting(oneOf('EdDSA', 'ES256', 'HS256'), 'EdDSA', 'signature algorithm of access tokens'),
  'auth.token.issuer': setting(
    text('1 to 200 characters', /^[\x21-\x7e]{1,200}$/, 'write 1 to 200 visible ASCII characters'),
    'sallyport',
    'issuer of the access tokens: a name or the URL of this deployment',
  ),
  'auth.token.key': secret(
    anything,
    'signing key: private key in PEM for EdDSA and ES256 (line breaks may be \\n), at least 32 random bytes as text for HS256; unset in development: generated and kept in the data folder',
  ),
  'auth.token.previous-keys': secret(
    listOf(namedKey(publicKeyOrSecret)),
    'earlier keys whose tokens are still accepted: kid:public key in PEM, or kid:secret',
  ),
  'auth.token.allow-query-token': setting(
    flag,
    false,
    'accept ?access_token= on GET routes that declare it; production refuses true',
  ),
  'auth.second-factor.key': secret(
    factorKey,
    'key that encrypts the secrets of authenticator apps, which are in the database; unset in development: generated and kept in the data folder',
  ),
  'auth.second-factor.previous-keys': secret(
    listOf(factorKey),
    'earlier keys, for secrets that were encrypted with them; the next use of a secret encrypts it with the present key',
  ),
  'auth.second-factor.issuer': setting(
    text('1 to 64 characters without a colon', /^[^:\p{Cc}\p{Surrogate}]{1,64}$/u, 'write a name without a colon'),
    'Sallyport',
    'name of the service in authenticator apps and at passkeys',
  ),
  'auth.password.bcrypt-cost': setting(
    integer(4, MAX_BCRYPT_COST),
    12,
    'log2 of the BCrypt rounds; production refuses less than 12',
  ),
  'auth.password.breached-file': setting(
    anything,
    null,
    'file of the hashes of leaked passwords, which are refused like common ones; unset: none',
  ),
  'admin.auth.terminals': setting(
    terminals,
    ['web'],
    'terminals at which administrators sign in; the first is the default of clearLoginLimit and explain',
  ),
  'app.auth.terminals': setting(
    terminals,
    ['app'],
    'terminals at which app users sign in; none of them may be a terminal of administrators',
  ),
  'app.auth.default-region': setting(region, 'CN', 'country of mobile numbers without a country code'),
  'app.auth.sms-regions': setting(
    listOf(region),
    [],
    'countries whose numbers get codes; unset: that of SERVICE_APP_AUTH_DEFAULT_REGION, since messages to some countries are expensive',
  ),
  'notification.worker': setting(
    oneOf('server', 'separate'),
    'server',
    'sender of messages: the server process, or separate processes of dist/commands/notification-worker.js',
  ),
  'notification.lease-seconds': setting(
    integer(1, 60),
    10,
    'after this time without a sign of life, other workers take over the messages of a worker',
  ),
  'notification.gateway.url': setting(
    url('https:', 'http:'),
    null,
    'HTTP gateway for text messages; unset: development keeps them in the outbox, production sends none',
  ),
  'notification.gateway.body': setting(
    bodyTemplate,
    '{"mobile":"{{mobile}}","text":"{{text}}"}',
    'body of its requests: {{mobile}}, {{text}}, {{code}}, {{validMinutes}}, {{id}}',
  ),
  'notification.gateway.headers': secret(headers, 'headers of its requests, such as {"Authorization":"Bearer …"}'),
  'notification.gateway.signature-key': secret(
    text('at least 32 characters', /^[^\0]{32,}$/s, 'write at least 32 characters, such as from: openssl rand -hex 32'),
    'key that signs its requests: X-Signature is the hex HMAC-SHA-256 of X-Timestamp, a dot and the body; unset: unsigned',
  ),
  'notification.gateway.timeout-seconds': setting(integer(1, 30), 5, 'timeout of its answers'),
  'audit.chain-key': secret(
    auditKey,
    'key of the chain, which shows changes to the audit log by those who do not hold it; unset in development: generated and kept in the data folder',
  ),
  'audit.previous-chain-keys': secret(listOf(auditKey), 'earlier keys of that chain, to verify older records'),
  'audit.checkpoint-key': secret(
    checkpointKey,
    'key that signs the checkpoints of the audit log; unset in development: generated and kept in the data folder',
  ),
  'audit.previous-checkpoint-keys': setting(
    listOf(checkpointPublicKey),
    [],
    'public halves of earlier keys, whose checkpoints still count',
  ),
  'audit.checkpoint-file': setting(
    anything,
    null,
    'file for the checkpoints, outside of the database and preferably on another machine; the start compares the audit log with it; required in production',
  ),
  'audit.loss-readiness': setting(
    oneOf('down', 'up'),
    'down',
    'readiness while audit records are lost, such as in a failover, and nobody has accepted that: down takes the node out of service and refuses a start in production, up keeps it in',
  ),
  'audit.checkpoint-log': setting(flag, false, 'write the checkpoints as log lines, too'),
  'audit.witness.url': setting(
    urlWithoutUser('https:', 'http:'),
    null,
    'HTTP witness that gets each checkpoint by POST, too',
  ),
  'audit.witness.headers': secret(headers, 'headers of these requests, such as {"Authorization":"Bearer …"}'),
  'audit.bucket.name': setting(
    text('S3 bucket name', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'write 3 to 63 of a-z 0-9 . -'),
    null,
    'bucket with object lock that gets each checkpoint, too',
  ),
  'audit.bucket.endpoint': setting(
    url('https:', 'http:'),
    null,
    'address of its store; unset: Amazon S3 in the region',
  ),
  'audit.bucket.region': setting(
    text('S3 region name', /^[a-z0-9-]{1,64}$/, 'write 1 to 64 of a-z 0-9 -'),
    'us-east-1',
    'its region; stores without regions accept any',
  ),
  'audit.bucket.path-style': setting(flag, false, 'put the bucket in the path, not in the host name'),
  'audit.bucket.access-key-id': secret(
    anything,
    'its access key, which needs no permission to delete; unset: credentials from the environment',
  ),
  'audit.bucket.secret-access-key': secret(anything, 'the secret that belongs to the access key'),
  'audit.bucket.retain-days': setting(
    integer(1, 36_500),
    365,
    'days for which nobody can delete or replace a checkpoint',
  ),
  'audit.syslog.url': setting(
    url('tls:'),
    null,
    'syslog receiver of the audit log, such as tls://logs.example.com:6514 (RFC 5425); unset: none',
  ),
  'audit.syslog.require-close-notify': setting(
    flag,
    false,
    'count a batch as delivered only if the receiver ends the TLS stream; the driver gtls of rsyslog does not',
  ),
  'audit.ndjson.url': setting(
    url('https:', 'http:'),
    null,
    'HTTP receiver of the audit log, one POST with NDJSON for a batch; unset: none',
  ),
  'audit.ndjson.headers': secret(headers, 'headers of its requests, such as {"Authorization":"Bearer …"}'),
  'audit.delivery.ca-file': setting(
    anything,
    null,
    'PEM file of the authorities of both receivers; unset: those of Node',
  ),
  'audit.delivery.cert-file': setting(anything, null, 'PEM file of the client certificate for both receivers'),
  'audit.delivery.key-file': setting(anything, null, 'PEM file of its private key'),
  'rate-limit.max-requests': setting(
    integer(1, 1_000_000),
    1200,
    'requests per window of a session, or of a client IP without one, over all routes without a separate limit',
  ),
  'rate-limit.window-seconds': setting(seconds(DAY), 60, 'length of that window'),
  'rate-limit.login.max-requests': setting(integer(1, 1_000_000), 20, 'sign-in attempts per client IP and minute'),
  'rate-limit.app-login.max-requests': setting(
    integer(1, 1_000_000),
    300,
    'sign-ins, codes and captchas of app users per client IP and minute; thousands may share the address of a carrier',
  ),
  'rate-limit.recovery.max-requests': setting(
    integer(1, 1_000_000),
    60,
    'password recoveries per client IP and minute',
  ),
  'rate-limit.captcha.max-requests': setting(integer(1, 1_000_000), 60, 'captchas per client IP and minute'),
  'rate-limit.registration.max-requests': setting(integer(1, 1_000_000), 5, 'registrations per client IP and minute'),
  'captcha.verify-url': setting(
    urlWithoutUser('https:', 'http:'),
    null,
    'provider of external captchas: the address of its siteverify (Turnstile, hCaptcha, reCAPTCHA); unset: none',
  ),
  'captcha.verify-secret': secret(anything, 'the secret that the provider gave for it'),
  'idempotency.lease-seconds': setting(
    integer(1, 3600),
    30,
    'lease of a write with an Idempotency-Key; renewed while the write runs, after it the write counts as dead',
  ),
  'idempotency.retention-seconds': setting(
    integer(2, 34_560_000),
    DAY,
    'how long an Idempotency-Key is remembered; at least twice the lease',
  ),
  'flood-gate.max-requests': setting(
    integer(1, 10_000_000),
    500,
    'requests per client IP and window, counted in memory before any other work',
  ),
  'flood-gate.window-seconds': setting(seconds(3600), 10, 'length of that window'),
} satisfies Record<string, Setting<unknown>>;

export type Property = keyof typeof settings;

type ValueOf<Entry> =
  Entry extends Setting<infer Value, infer Default> ? (null extends Default ? Value | null : Value) : never;

/** The configuration: every property under its name, validated. */
export type Config = { readonly [P in Property]: ValueOf<(typeof settings)[P]> };

/** `a.b-c.d` becomes `SERVICE_A_B_C_D`. */
export function variableOf(property: Property): string {
  return `SERVICE_${property.replaceAll(/[.-]/g, '_').toUpperCase()}`;
}

/** One row of the table of variables. */
export interface SettingRow {
  readonly variable: string;
  readonly property: Property;
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
}

/** The table of variables for the README and `--help`. */
export const settingRows: readonly SettingRow[] = (Object.keys(settings) as Property[]).map((property) => {
  const entry: Setting<unknown> = settings[property];
  const shown = Array.isArray(entry.default) ? entry.default.join(', ') : String(entry.default ?? '');
  return {
    variable: variableOf(property),
    property,
    type: entry.type.name,
    default: shown === '' ? '–' : shown,
    meaning: entry.meaning,
  };
});
