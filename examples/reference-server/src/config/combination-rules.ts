import { reachOfUrl } from './reach.js';
import { type Config, type Property, settings, variableOf } from './settings.js';

/** A fault of one property, with reason and fix, and never with its value. */
export interface ConfigFault {
  readonly property: Property;
  readonly reason: string;
  readonly fix: string;
}

/** Minimum BCrypt cost in production (ADM-7). */
const PRODUCTION_BCRYPT_COST = 12;

/** Rules between several variables, and rules of production. */
export function combinationFaults(config: Config): ConfigFault[] {
  return [
    ...encryptionFaults(config),
    ...terminalFaults(config),
    ...storeFaults(config),
    ...idempotencyFaults(config),
    ...auditDeliveryFaults(config),
    ...captchaFaults(config),
    ...bucketFaults(config, 'storage.s3', 'storage.s3.bucket'),
    ...bucketFaults(config, 'audit.bucket', 'audit.bucket.name'),
    ...witnessFaults(config),
    ...productionFaults(config),
  ];
}

function* encryptionFaults(config: Config): Iterable<ConfigFault> {
  const module = config['api.encryption.key-provider-module'];
  const keys = ['api.encryption.private-key', 'api.encryption.previous-keys', 'api.encryption.key-id'] as const;
  if (module !== null) {
    for (const property of keys.filter((each) => config[each] !== null)) {
      yield {
        property,
        reason: 'is set, and a module yields the keys',
        fix: 'unset it, or unset SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE',
      };
    }
  } else if (config['api.encryption.mode'] !== 'OFF' && config['api.encryption.private-key'] === null) {
    yield {
      property: 'api.encryption.private-key',
      reason: 'is missing, and the encryption mode is not OFF',
      fix: 'set it to 64 hex characters, for example from: openssl rand -hex 32',
    };
  }
}

/** The terminal decides whether a name belongs to an administrator or to an app user (LGN-13). */
function* terminalFaults(config: Config): Iterable<ConfigFault> {
  const both = config['app.auth.terminals'].filter((terminal) => config['admin.auth.terminals'].includes(terminal));
  if (both.length > 0) {
    yield {
      property: 'app.auth.terminals',
      reason: 'has a terminal that is also one of administrators',
      fix: `write terminals that are not in ${variableOf('admin.auth.terminals')}`,
    };
  }
}

function* storeFaults(config: Config): Iterable<ConfigFault> {
  if (config['redis-cluster'] && config['redis-url'] === null) {
    yield {
      property: 'redis-url',
      reason: 'is required for a Redis Cluster',
      fix: 'set the address of one of its nodes',
    };
  }
  if (config.nodes > 1 && config['database-url'] === null) {
    yield {
      property: 'database-url',
      reason: 'is required for several nodes: only one process can use the embedded database',
      fix: 'set the address of the PostgreSQL that all nodes share',
    };
  }
  if (config['database-schema'] !== settings['database-schema'].default && config['database-url'] === null) {
    yield {
      property: 'database-schema',
      reason: 'is set, but the embedded database has no other schema',
      fix: 'unset it, or configure PostgreSQL',
    };
  }
  if (config['database-url'] !== null && setsParameter(config['database-url'], 'search_path')) {
    yield {
      property: 'database-url',
      reason: 'sets a search_path',
      fix: 'remove it, and set SERVICE_DATABASE_SCHEMA to the schema',
    };
  }
  if (config['database-url'] !== null && setsParameter(config['database-url'], 'default_transaction_read_only')) {
    yield {
      property: 'database-url',
      reason: 'sets default_transaction_read_only, which the server decides for each of its pools',
      fix: 'remove it',
    };
  }
  if (config['notification.worker'] === 'separate' && config['database-url'] === null) {
    yield {
      property: 'notification.worker',
      reason: 'is separate, but only the process of the server can use the embedded database',
      fix: 'unset it, or configure PostgreSQL',
    };
  }
}

/** The drivers prefer the parameters of the URL to those of the program. */
function setsParameter(url: string, name: 'search_path' | 'default_transaction_read_only'): boolean {
  const { searchParams } = new URL(url);
  return searchParams.has(name) || new RegExp(`\\b${name}\\b`, 'i').test(searchParams.get('options') ?? '');
}

function* idempotencyFaults(config: Config): Iterable<ConfigFault> {
  if (config['idempotency.retention-seconds'] < 2 * config['idempotency.lease-seconds']) {
    yield {
      property: 'idempotency.retention-seconds',
      reason: 'is less than twice the lease: a record could expire while its write runs',
      fix: 'set at least twice SERVICE_IDEMPOTENCY_LEASE_SECONDS',
    };
  }
}

function* bucketFaults(config: Config, group: 'storage.s3' | 'audit.bucket', bucket: Property): Iterable<ConfigFault> {
  const [keyId, secret] = [`${group}.access-key-id`, `${group}.secret-access-key`] as const;
  if ((config[keyId] === null) !== (config[secret] === null)) {
    const missing = config[keyId] === null ? keyId : secret;
    yield { property: missing, reason: 'is missing, but its counterpart is set', fix: 'set both, or neither' };
  }
  if (config[bucket] !== null) return;
  for (const property of [`${group}.endpoint`, keyId, secret] as const) {
    if (config[property] === null) continue;
    yield { property, reason: 'is set, but no bucket is configured', fix: `set ${variableOf(bucket)}` };
  }
}

function* witnessFaults(config: Config): Iterable<ConfigFault> {
  if (config['audit.witness.headers'] !== null && config['audit.witness.url'] === null) {
    yield {
      property: 'audit.witness.headers',
      reason: 'is set, but no witness is configured',
      fix: 'set SERVICE_AUDIT_WITNESS_URL',
    };
  }
}

function* auditDeliveryFaults(config: Config): Iterable<ConfigFault> {
  const [certificate, key] = ['audit.delivery.cert-file', 'audit.delivery.key-file'] as const;
  if ((config[certificate] === null) !== (config[key] === null)) {
    const missing = config[certificate] === null ? certificate : key;
    yield { property: missing, reason: 'is missing, but its counterpart is set', fix: 'set both, or neither' };
  }
  const receivers = [config['audit.syslog.url'], config['audit.ndjson.url']];
  for (const property of ['audit.delivery.ca-file', certificate, key] as const) {
    if (config[property] === null || receivers.some((receiver) => receiver !== null)) continue;
    const fix = 'set SERVICE_AUDIT_SYSLOG_URL or SERVICE_AUDIT_NDJSON_URL, or unset it';
    yield { property, reason: 'is set, but the audit log has no receiver', fix };
  }
  if (config['audit.ndjson.headers'] !== null && config['audit.ndjson.url'] === null) {
    const fix = 'set SERVICE_AUDIT_NDJSON_URL, or unset it';
    yield { property: 'audit.ndjson.headers', reason: 'is set, but its receiver is not', fix };
  }
}

function* captchaFaults(config: Config): Iterable<ConfigFault> {
  const [url, secret] = ['captcha.verify-url', 'captcha.verify-secret'] as const;
  if ((config[url] === null) !== (config[secret] === null)) {
    const missing = config[url] === null ? url : secret;
    yield { property: missing, reason: 'is missing, but its counterpart is set', fix: 'set both, or neither' };
  }
}

/** URLs that need encryption in production unless they lead to this machine, and what their requests would do. */
const UNENCRYPTED = [
  ['notification.gateway.url', 'transmit codes unencrypted in production'],
  ['captcha.verify-url', 'transmit its secret unencrypted in production, and believe any answer on the way'],
  ['audit.ndjson.url', 'transmit the audit log unencrypted in production'],
] as const;

function* productionFaults(config: Config): Iterable<ConfigFault> {
  if (config.profile !== 'production') return;
  if (config['public-url']?.startsWith('http:')) {
    yield {
      property: 'public-url',
      reason: 'is not encrypted: passwords, tokens and codes would travel unencrypted',
      fix: 'put a proxy with https in front, and set its address',
    };
  }
  if (config['safe-mode']) {
    yield { property: 'safe-mode', reason: 'is on in production', fix: 'unset it, or set SERVICE_PROFILE=development' };
  }
  if (config['auth.token.key'] === null) {
    yield {
      property: 'auth.token.key',
      reason: 'is missing, and production does not generate a key',
      fix: 'set it, for example to the output of: openssl genpkey -algorithm ed25519; or set SERVICE_PROFILE=development',
    };
  }
  if (config['auth.second-factor.key'] === null) {
    yield {
      property: 'auth.second-factor.key',
      reason: 'is missing, and production does not generate a key',
      fix: 'set an identifier, a colon, and the output of: openssl rand -base64 32',
    };
  }
  for (const [property, would] of UNENCRYPTED) {
    const url = config[property];
    if (!url?.startsWith('http:') || reachOfUrl(url) === 'machine') continue;
    yield { property, reason: `would ${would}`, fix: 'use https' };
  }
  if (config['audit.chain-key'] === null) {
    yield {
      property: 'audit.chain-key',
      reason: 'is missing, and production does not generate a key',
      fix: 'set an identifier, a colon, and the output of: openssl rand -hex 32',
    };
  }
  if (config['audit.checkpoint-key'] === null) {
    yield {
      property: 'audit.checkpoint-key',
      reason: 'is missing, and production does not generate a key',
      fix: 'make one with: node dist/commands/audit.js make-key NAME',
    };
  }
  if (config['audit.checkpoint-file'] === null) {
    yield {
      property: 'audit.checkpoint-file',
      reason: 'is missing: a log that was cut, or restored to an older state, could not be recognised',
      fix: 'name a file outside of the database, preferably on another machine',
    };
  }
  if (config['auth.token.allow-query-token']) {
    yield { property: 'auth.token.allow-query-token', reason: 'is on in production', fix: 'unset it' };
  }
  if (config['api-docs.enabled']) {
    yield { property: 'api-docs.enabled', reason: 'is on in production', fix: 'unset it' };
  }
  if (config['auth.password.bcrypt-cost'] < PRODUCTION_BCRYPT_COST) {
    yield {
      property: 'auth.password.bcrypt-cost',
      reason: 'is too low for production',
      fix: `set at least ${PRODUCTION_BCRYPT_COST}`,
    };
  }
}
