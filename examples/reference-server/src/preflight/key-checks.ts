import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpointKey } from '@sallyport/audit-log/postgres';
import { type SigningKey, secretWeakness } from '@sallyport/auth-tokens';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { type Config, type Property, variableOf } from '../config/config.js';
import { loadTokenKeys, signingSecret } from '../protection/token-keys.js';
import { settingCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

/** Common words whose hashes are often used as keys. */
const WORDS = ['', 'secret', 'password', 'changeme', 'sallyport', 'sallyport-dev', 'admin', 'test', 'key', '123456'];

const guessable = new Set(
  WORDS.flatMap((word) => {
    const bytes = Buffer.from(word);
    const hashes = ['sha256', 'sha512'].map((name) => createHash(name).update(bytes).digest('hex'));
    return [...hashes, Buffer.from(sm3(bytes)).toString('hex')];
  }),
);

const KEY_SETTINGS = [
  'auth.token.key',
  'auth.token.algorithm',
  'auth.token.previous-keys',
  'api.encryption.private-key',
  'api.encryption.previous-keys',
  'audit.chain-key',
  'audit.previous-chain-keys',
  'audit.checkpoint-key',
  'audit.previous-checkpoint-keys',
  'notification.gateway.signature-key',
  'auth.second-factor.key',
  'auth.second-factor.previous-keys',
] as const satisfies readonly Property[];

type KeyConfig = Pick<Config, (typeof KEY_SETTINGS)[number]>;

interface HeldKey {
  readonly property: Property;
  /** A current key, or an earlier one that is still accepted. */
  readonly age: 'present' | 'earlier';
  readonly bytes: Buffer;
}

/** A key in hexadecimal digits equals the same key as bytes. */
function bytesOf(text: string): Buffer {
  return /^(?:[0-9a-f]{2}){16,}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text);
}

function* heldKeys(config: KeyConfig): Iterable<HeldKey> {
  const token = config['auth.token.key'];
  if (token !== null && config['auth.token.algorithm'] === 'HS256') {
    yield { property: 'auth.token.key', age: 'present', bytes: bytesOf(token) };
  }
  for (const { key } of config['auth.token.previous-keys'] ?? []) {
    yield { property: 'auth.token.previous-keys', age: 'earlier', bytes: bytesOf(key) };
  }
  const envelope = config['api.encryption.private-key'];
  if (envelope !== null) yield { property: 'api.encryption.private-key', age: 'present', bytes: bytesOf(envelope) };
  for (const { key } of config['api.encryption.previous-keys'] ?? []) {
    yield { property: 'api.encryption.previous-keys', age: 'earlier', bytes: bytesOf(key) };
  }
  const chain = config['audit.chain-key'];
  if (chain !== null) yield { property: 'audit.chain-key', age: 'present', bytes: Buffer.from(chain.secret) };
  for (const { secret } of config['audit.previous-chain-keys'] ?? []) {
    yield { property: 'audit.previous-chain-keys', age: 'earlier', bytes: Buffer.from(secret) };
  }
  const signer = config['audit.checkpoint-key'];
  if (signer !== null) yield { property: 'audit.checkpoint-key', age: 'present', bytes: seedOf(signer) };
  const factors = config['auth.second-factor.key'];
  if (factors !== null)
    yield { property: 'auth.second-factor.key', age: 'present', bytes: Buffer.from(factors.secret) };
  for (const { secret } of config['auth.second-factor.previous-keys'] ?? []) {
    yield { property: 'auth.second-factor.previous-keys', age: 'earlier', bytes: Buffer.from(secret) };
  }
  const signature = config['notification.gateway.signature-key'];
  if (signature !== null) {
    yield { property: 'notification.gateway.signature-key', age: 'present', bytes: bytesOf(signature) };
  }
}

/** The 32 bytes of PRIVATE+KEY+name+hash+base64, whose first byte is the type. */
function seedOf(checkpointKey: string): Buffer {
  return Buffer.from(checkpointKey.split('+').slice(4).join('+'), 'base64').subarray(1);
}

const generate = (property: Property) =>
  property === 'audit.checkpoint-key'
    ? 'make a key with: node dist/commands/audit.js make-key NAME'
    : 'generate a key with: openssl rand -hex 32';

/** Keys that were not generated randomly (TOK-4, ENV-3). Keys that the plugins refuse are reported by `plugins`. */
export const weakKeys = settingCheck({
  id: 'keys',
  reads: KEY_SETTINGS,
  *run({ config }) {
    for (const { property, bytes } of heldKeys(config)) {
      if (guessable.has(bytes.toString('hex'))) {
        yield {
          id: 'keys.guessable',
          severity: 'error',
          finding: `${variableOf(property)} is the hash of a common word`,
          fix: generate(property),
        };
      }
      // The other keys were checked when they were read, or are checked by their plugin.
      if (!/^(?:audit|notification)\./.test(property)) continue;
      const weakness = secretWeakness(bytes);
      if (weakness === null) continue;
      yield {
        id: 'keys.weak',
        // A text of 32 characters may have enough entropy.
        severity: weakness.endsWith('random bits') ? 'warning' : 'error',
        finding: `${variableOf(property)} ${weakness}`,
        fix: generate(property),
      };
    }
  },
});

/** One key for two purposes: if it leaks from one, the other is compromised too. */
export const sharedKeys = settingCheck({
  id: 'shared-keys',
  reads: [
    ...KEY_SETTINGS,
    'storage.s3.secret-access-key',
    'audit.bucket.secret-access-key',
    'database-url',
    'redis-url',
  ],
  *run({ config }) {
    const keys = [...heldKeys(config)];
    const passwords: HeldKey[] = [];
    for (const property of ['database-url', 'redis-url'] as const) {
      const url = config[property];
      const password = url === null ? '' : decodeURIComponent(new URL(url).password);
      if (password !== '') passwords.push({ property, age: 'present', bytes: bytesOf(password) });
    }
    for (const property of ['storage.s3.secret-access-key', 'audit.bucket.secret-access-key'] as const) {
      const secret = config[property];
      if (secret !== null) passwords.push({ property, age: 'present', bytes: bytesOf(secret) });
    }
    for (const [index, key] of keys.entries()) {
      for (const other of [...keys.slice(index + 1), ...passwords]) {
        if (purposeOf(key) === purposeOf(other) || !key.bytes.equals(other.bytes)) continue;
        yield {
          id: 'shared-keys',
          severity: 'error',
          finding: `${variableOf(key.property)} and ${variableOf(other.property)} hold the same key`,
          fix: 'generate a separate key for each',
        };
      }
    }
  },
});

function purposeOf({ property }: HeldKey): string {
  return property.split('.').slice(0, 2).join('.').replace('audit.previous-chain-keys', 'audit.chain-key');
}

/** Replaced keys that are still accepted. */
export const earlierKeys = settingCheck({
  id: 'earlier-keys',
  reads: KEY_SETTINGS,
  async *run({ config }) {
    const present = new Map([
      ['auth.token.previous-keys', await publicHalf(config)],
      ['api.encryption.previous-keys', config['api.encryption.private-key']?.toLowerCase() ?? null],
      ['audit.previous-chain-keys', config['audit.chain-key'] && hex(config['audit.chain-key'].secret)],
      ['audit.previous-checkpoint-keys', publicCheckpointKey(config)],
      [
        'auth.second-factor.previous-keys',
        config['auth.second-factor.key'] && hex(config['auth.second-factor.key'].secret),
      ],
    ] as const);
    const earlier = [
      ['auth.token.previous-keys', (config['auth.token.previous-keys'] ?? []).map(({ key }) => verificationText(key))],
      [
        'api.encryption.previous-keys',
        (config['api.encryption.previous-keys'] ?? []).map(({ key }) => key.toLowerCase()),
      ],
      ['audit.previous-chain-keys', (config['audit.previous-chain-keys'] ?? []).map(({ secret }) => hex(secret))],
      ['audit.previous-checkpoint-keys', config['audit.previous-checkpoint-keys']],
      [
        'auth.second-factor.previous-keys',
        (config['auth.second-factor.previous-keys'] ?? []).map(({ secret }) => hex(secret)),
      ],
    ] as const;
    for (const [property, keys] of earlier) {
      if (keys.some((key) => key === present.get(property))) {
        yield {
          id: 'earlier-keys.present',
          severity: 'error',
          finding: `${variableOf(property)} lists the current key: it was never replaced`,
          fix: 'generate a new key, and list the old one here until nothing needs it any more',
        } satisfies PreflightItem;
      }
      if (keys.length > 0 && !property.startsWith('audit.')) {
        yield {
          id: 'earlier-keys.kept',
          severity: 'info',
          finding: `${variableOf(property)} still accepts ${keys.length === 1 ? 'an earlier key' : `${keys.length} earlier keys`}`,
          fix:
            property === 'auth.token.previous-keys'
              ? 'remove it when the longest session that it signed has ended (auth.token.app.absolute-seconds)'
              : property === 'auth.second-factor.previous-keys'
                ? 'remove it when every account has used its authenticator app again; a start without it says if that is too early'
                : 'remove it when clients have read the new public key, which takes minutes',
        } satisfies PreflightItem;
      }
    }
  },
});

function publicCheckpointKey(config: KeyConfig): string | null {
  const key = config['audit.checkpoint-key'];
  return key === null ? null : parseCheckpointKey(key).publicKey;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/**
 * A canonical text of the key, for any encoding. An unreadable key, which its plugin refuses, is returned unchanged.
 */
function verificationText(text: string): string {
  try {
    return publicText(createPublicKey(text.replaceAll('\\n', '\n')));
  } catch {
    return text;
  }
}

function publicText(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('hex');
}

async function publicHalf(config: KeyConfig): Promise<string | null> {
  const key = config['auth.token.key'];
  if (key === null) return null;
  return config['auth.token.algorithm'] === 'HS256' ? key : verificationText(key);
}

/** Keys that development generated and keeps in the data folder. They must not be used elsewhere. */
export const developmentKeys = settingCheck({
  id: 'development-keys',
  reads: [
    'data-dir',
    'auth.token.key',
    'auth.token.algorithm',
    'auth.token.previous-keys',
    'audit.chain-key',
    'audit.checkpoint-key',
    'auth.second-factor.key',
  ],
  async run({ config }) {
    const items: PreflightItem[] = [];
    const report = (property: Property) =>
      items.push({
        id: 'development-keys',
        severity: 'error',
        finding: `${variableOf(property)} is the key that development generated in the data folder`,
        fix: 'generate a key for production only',
      });
    const tokenKey = await readKept<SigningKey>(
      config['data-dir'],
      `token-key-${config['auth.token.algorithm']}.json`,
      JSON.parse,
    );
    if (tokenKey !== null && config['auth.token.key'] !== null) {
      const { signingKey } = await loadTokenKeys(config);
      if (sameSecret(signingKey, tokenKey)) report('auth.token.key');
    }
    const chain = await readKept(config['data-dir'], 'audit-chain-key', (text) => text.trim().split(':').at(-1));
    const own = config['audit.chain-key'];
    if (own !== null && (chain === hex(own.secret) || own.id === 'development')) report('audit.chain-key');
    const kept = await readKept(config['data-dir'], 'second-factor-key', (text) => text.trim().split(':').at(-1));
    const factors = config['auth.second-factor.key'];
    const isKept = factors !== null && kept === Buffer.from(factors.secret).toString('base64');
    if (isKept || factors?.id === 'development') report('auth.second-factor.key');
    const signer = await readKept(config['data-dir'], 'audit-checkpoint-key', (text) => text.trim());
    if (signer !== null && signer === config['audit.checkpoint-key']) report('audit.checkpoint-key');
    return items;
  },
});

function sameSecret(one: SigningKey, other: SigningKey): boolean {
  try {
    return Buffer.from(signingSecret(one)).equals(signingSecret(other));
  } catch {
    return false;
  }
}

async function readKept<Value>(folder: string, name: string, read: (text: string) => Value): Promise<Value | null> {
  try {
    return read(await readFile(join(folder, name), 'utf8'));
  } catch {
    return null;
  }
}
