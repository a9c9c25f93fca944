import { createHash } from 'node:crypto';
import { group, isRandomEnough, type OptionRule, option, readOptions } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';

/** The hash of the HMAC chain: SHA-256, or SM3 (GB/T 32905-2016). */
export type AuditHash = 'sha256' | 'sm3';

/** The key of the chain. Anyone who holds it can forge any history, so keep it out of the database. */
export interface AuditKey {
  /** The id of the key in every row, so that keys can change: 1 to 64 letters, digits and `._-`. Not secret. */
  readonly id: string;
  /** At least 32 random bytes, such as `randomBytes(32)`. */
  readonly secret: Uint8Array;
  /** Default `sha256`. A key keeps its hash; to change the hash, change the key. */
  readonly algorithm?: AuditHash;
}

export const AUDIT_KEY_DEFAULTS = { algorithm: 'sha256' } as const;

const MIN_SECRET_BYTES = 32;

/** SM3('abc'): GB/T 32905-2016, A.1. */
const SM3_OF_ABC = '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0';

const members = group<Required<AuditKey>>({
  id: option<string>({
    meaning: '1 to 64 letters, digits and ._-',
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value),
  }),
  secret: option<Uint8Array>({ meaning: `at least ${MIN_SECRET_BYTES} random bytes`, accepts: isSecret }),
  algorithm: option<AuditHash>({
    meaning: "'sha256' or 'sm3'",
    accepts: (value) => value === 'sha256' || value === 'sm3',
    faults: (value: AuditHash, name) =>
      value === 'sha256' || hasSm3()
        ? []
        : [`${name}: this build of Node has no SM3; use 'sha256', or a Node whose OpenSSL has SM3`],
    default: AUDIT_KEY_DEFAULTS.algorithm,
  }),
});

/** The rule of an option that takes a key. It never quotes the secret. */
export const keyRule: OptionRule<AuditKey> = {
  ...members,
  meaning: 'a key, such as one of parseAuditKey',
  isRequired: true,
  defaultValue: undefined,
};

/**
 * Reads a key from its text form: `id:secret` or `id:sm3:secret`, where the secret is at least 64 hexadecimal digits
 * (`openssl rand -hex 32`).
 *
 * @example
 * ```ts
 * const sink = createPostgresAuditSink({
 *   database,
 *   key: parseAuditKey(AUDIT_KEY ?? ''),
 *   checkpoint: createFileCheckpoint('audit-checkpoints'), // better: a file on another machine
 *   checkpointKey: parseCheckpointKey(AUDIT_CHECKPOINT_KEY ?? ''),
 *   log: app.log,
 * });
 * ```
 *
 * @throws AuditSetupError that does not quote the text
 */
export function parseAuditKey(text: string): AuditKey {
  const owner = { subject: 'parseAuditKey', SetupError: AuditSetupError };
  const parts = /^([^:]*):(?:(sha256|sm3):)?((?:[0-9a-fA-F]{2})+)$/.exec(typeof text === 'string' ? text.trim() : '');
  if (parts === null) {
    throw new AuditSetupError(owner.subject, [
      'the text must be id:secret or id:sm3:secret, the secret in hexadecimal digits',
    ]);
  }
  const [, id = '', algorithm, digits = ''] = parts;
  const secret = Buffer.from(digits, 'hex');
  const key = algorithm === undefined ? { id, secret } : { id, secret, algorithm: algorithm as AuditHash };
  readOptions(owner, { key }, { key: keyRule });
  return key;
}

function isSecret(secret: unknown): boolean {
  return secret instanceof Uint8Array && secret.length >= MIN_SECRET_BYTES && isRandomEnough(secret);
}

/** Tests a known answer, because an OpenSSL in FIPS mode lists algorithms that it refuses. */
function hasSm3(): boolean {
  try {
    return createHash('sm3').update('abc').digest('hex') === SM3_OF_ABC;
  } catch {
    return false;
  }
}
