import { reachOfUrl } from './reach.js';
import type { Config, Property } from './settings.js';

/** What is wrong with one property, why, and what to do: never with its value. */
export interface ConfigFault {
  readonly property: Property;
  readonly reason: string;
  readonly fix: string;
}

/** The least BCrypt cost in production (ADM-7). */
const PRODUCTION_BCRYPT_COST = 12;

/** Rules that a single variable can't break: what goes together, and what production demands. */
export function combinationFaults(config: Config): ConfigFault[] {
  return [
    ...encryptionFaults(config),
    ...storeFaults(config),
    ...idempotencyFaults(config),
    ...storageFaults(config),
    ...productionFaults(config),
  ];
}

function* encryptionFaults(config: Config): Iterable<ConfigFault> {
  if (config['api.encryption.mode'] !== 'OFF' && config['api.encryption.private-key'] === null) {
    yield {
      property: 'api.encryption.private-key',
      reason: 'is missing, and the encryption mode is not OFF',
      fix: 'set it to 64 hex characters, such as from: openssl rand -hex 32',
    };
  }
}

function* storeFaults(config: Config): Iterable<ConfigFault> {
  if (config['redis-cluster'] && config['redis-url'] === null) {
    yield {
      property: 'redis-url',
      reason: 'is missing, and a Redis Cluster is announced',
      fix: 'name one of its nodes',
    };
  }
  if (config.nodes > 1 && config['database-url'] === null) {
    yield {
      property: 'database-url',
      reason: 'is missing, and several nodes serve together: the embedded database belongs to one process',
      fix: 'name the PostgreSQL that all nodes share',
    };
  }
  if (config['notification.worker'] === 'separate' && config['database-url'] === null) {
    yield {
      property: 'notification.worker',
      reason: 'is separate, and the embedded database belongs to the process of the server',
      fix: 'unset it, or name a PostgreSQL',
    };
  }
}

function* idempotencyFaults(config: Config): Iterable<ConfigFault> {
  if (config['idempotency.retention-seconds'] < 2 * config['idempotency.lease-seconds']) {
    yield {
      property: 'idempotency.retention-seconds',
      reason: 'is less than twice the lease: a record could be forgotten while its write runs',
      fix: 'set at least twice SERVICE_IDEMPOTENCY_LEASE_SECONDS',
    };
  }
}

function* storageFaults(config: Config): Iterable<ConfigFault> {
  const [keyId, secret] = ['storage.s3.access-key-id', 'storage.s3.secret-access-key'] as const;
  if ((config[keyId] === null) !== (config[secret] === null)) {
    const missing = config[keyId] === null ? keyId : secret;
    yield { property: missing, reason: 'is missing, and its other half is there', fix: 'set both, or neither' };
  }
  if (config['storage.s3.bucket'] !== null) return;
  for (const property of ['storage.s3.endpoint', keyId, secret] as const) {
    if (config[property] === null) continue;
    yield { property, reason: 'is set, and no bucket is named', fix: 'name it with SERVICE_STORAGE_S3_BUCKET' };
  }
}

function* productionFaults(config: Config): Iterable<ConfigFault> {
  if (config.profile !== 'production') return;
  if (config['public-url']?.startsWith('http:')) {
    yield {
      property: 'public-url',
      reason: 'is not encrypted: passwords, tokens and codes would travel in the clear',
      fix: 'let a proxy speak https, and write its address',
    };
  }
  if (config['safe-mode']) {
    yield { property: 'safe-mode', reason: 'is on in production', fix: 'unset it, or set SERVICE_PROFILE=development' };
  }
  if (config['auth.token.key'] === null) {
    yield {
      property: 'auth.token.key',
      reason: 'is missing, and production makes no key of its own',
      fix: 'set it, such as to the output of: openssl genpkey -algorithm ed25519; or set SERVICE_PROFILE=development',
    };
  }
  const gateway = config['notification.gateway.url'];
  if (gateway?.startsWith('http:') && reachOfUrl(gateway) !== 'machine') {
    yield {
      property: 'notification.gateway.url',
      reason: 'would carry codes in the clear in production',
      fix: 'use https',
    };
  }
  if (config['audit.chain-key'] === null) {
    yield {
      property: 'audit.chain-key',
      reason: 'is missing, and production makes no key of its own',
      fix: 'write an identifier, a colon, and the output of: openssl rand -hex 32',
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
