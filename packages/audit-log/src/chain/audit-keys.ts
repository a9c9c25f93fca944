import { createHash } from 'node:crypto';

/** The hash beneath the keyed chain: SHA-256, or SM3 (GB/T 32905-2016) where that is asked for. */
export type AuditHash = 'sha256' | 'sm3';

/** The key of the chain. Whoever has it can write a history that holds; keep it out of the database. */
export interface AuditKey {
  /** Names the key in every row, so that keys can change: 1 to 64 letters, digits and `._-`. Not secret. */
  readonly id: string;
  /** At least 32 random bytes, such as `randomBytes(32)`. */
  readonly secret: Uint8Array;
  /** Default `sha256`. A key keeps its hash; to change the hash, change the key. */
  readonly algorithm?: AuditHash;
}

export const AUDIT_KEY_DEFAULTS = { algorithm: 'sha256' } as const;

const MIN_SECRET_BYTES = 32;

/** 32 random bytes have fewer than 16 different values once in 10^17 keys; a passphrase or a pattern mostly has. */
const MIN_DISTINCT_BYTES = 16;

/** SM3('abc'): GB/T 32905-2016, A.1. */
const SM3_OF_ABC = '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0';

/**
 * A key written as text, as environments carry it: `id:secret` or `id:sm3:secret`, the secret in at least 64 hexadecimal
 * digits (`openssl rand -hex 32`).
 *
 * @throws TypeError that doesn't quote the text.
 */
export function parseAuditKey(text: string): AuditKey {
  const [, id, algorithm, digits] = /^([^:]*):(?:(sha256|sm3):)?((?:[0-9a-fA-F]{2})+)$/.exec(text.trim()) ?? [];
  if (id === undefined || digits === undefined) {
    throw new TypeError('An audit key is written as id:secret or id:sm3:secret, the secret in hexadecimal digits');
  }
  const secret = Buffer.from(digits, 'hex');
  const key = algorithm === undefined ? { id, secret } : { id, secret, algorithm: algorithm as AuditHash };
  const faults = auditKeyFaults('The audit key', key);
  if (faults.length > 0) throw new TypeError(faults.join('; '));
  return key;
}

/** Everything that is wrong with a key and the earlier ones beside it; no secret is quoted. */
export function auditKeysFaults(key: unknown, previousKeys: unknown): string[] {
  if (!Array.isArray(previousKeys)) return ['previousKeys must be a list of keys'];
  const keys = [key, ...previousKeys] as readonly Partial<AuditKey>[];
  const ids = keys.map((one) => one?.id);
  return [
    ...auditKeyFaults('key', key),
    ...previousKeys.flatMap((one, index) => auditKeyFaults(`previousKeys[${index}]`, one)),
    ...(new Set(ids).size === ids.length ? [] : ['key and previousKeys must have ids of their own']),
  ];
}

function auditKeyFaults(name: string, key: unknown): string[] {
  if (typeof key !== 'object' || key === null) return [`${name} must be { id, secret, algorithm? }`];
  const { id, secret, algorithm = AUDIT_KEY_DEFAULTS.algorithm } = key as Partial<AuditKey>;
  return [
    ...(typeof id === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(id)
      ? []
      : [`${name}.id must be 1 to 64 letters, digits and ._-`]),
    ...(isRandomEnough(secret) ? [] : [`${name}.secret must be at least ${MIN_SECRET_BYTES} random bytes`]),
    ...(algorithm === 'sha256' || algorithm === 'sm3' ? [] : [`${name}.algorithm must be 'sha256' or 'sm3'`]),
    ...(algorithm !== 'sm3' || hasSm3()
      ? []
      : [`${name}.algorithm: the OpenSSL of this Node has no SM3; take 'sha256', or another build of Node`]),
  ];
}

function isRandomEnough(secret: unknown): boolean {
  return (
    secret instanceof Uint8Array && secret.length >= MIN_SECRET_BYTES && new Set(secret).size >= MIN_DISTINCT_BYTES
  );
}

/** A known answer, and not only a name: an OpenSSL in FIPS mode lists algorithms that it refuses. */
function hasSm3(): boolean {
  try {
    return createHash('sm3').update('abc').digest('hex') === SM3_OF_ABC;
  } catch {
    return false;
  }
}
