import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isRandomEnough, objectWith, option } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';

/*
 * Keys in the text forms of signed notes (C2SP signed-note; golang.org/x/mod/sumdb/note):
 *
 *   public   NAME+HASH+base64(0x01 | 32 bytes)
 *   private  PRIVATE+KEY+NAME+HASH+base64(0x01 | 32 bytes)
 *
 * where HASH is the first four bytes of SHA-256(NAME | "\n" | 0x01 | public key) in hexadecimal digits.
 */
const ED25519_TYPE = 0x01;
const KEY_BYTES = 32;

/** RFC 8410: the bytes before the 32 bytes of the key in the DER forms of Ed25519 keys. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A name without spaces and plus signs. */
const NAME = /^[^\s+\p{Cc}]{1,200}$/u;
const PUBLIC_FORM = /^([^\s+\p{Cc}]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u;
const PRIVATE_FORM = /^PRIVATE\+KEY\+([^\s+\p{Cc}]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u;

/**
 * Signs checkpoints. Use `parseCheckpointKey`, or your own signer over a key in an HSM or a KMS: Ed25519 over the
 * unchanged bytes. Anyone who holds the key can sign checkpoints of another history, so keep it from the administrators
 * of the database.
 */
export interface CheckpointKey {
  /**
   * The name of the log, which is the origin of its checkpoints. A URL without scheme, such as `api.example.com/audit`.
   */
  readonly name: string;
  /** The public key in its text form, for `verifyAuditLog` and `sallyport-audit-verify --public-key`. Not secret. */
  readonly publicKey: string;
  /** The signature, 64 bytes. */
  sign(content: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A public key, read from its text form. */
export interface CheckpointVerifier {
  readonly name: string;
  /** The hash of the key, 8 hexadecimal digits. */
  readonly hash: string;
  readonly key: KeyObject;
}

/** Both halves of a new key, in their text forms. */
export interface CheckpointKeyPair {
  /** The private key, for `parseCheckpointKey`. Secret. */
  readonly privateKey: string;
  /** The public key, for everyone who verifies the log. Not secret. */
  readonly publicKey: string;
}

/**
 * Makes a key for the checkpoints of one log.
 *
 * @param name the origin of the checkpoints: 1 to 200 characters without spaces and plus signs, such as
 * `api.example.com/audit`
 *
 * @example
 * ```ts
 * const pair = generateCheckpointKey('api.example.com/audit'); // as sallyport-audit-keygen does, once
 * export const checkpointKey = parseCheckpointKey(pair.privateKey);
 * console.log(pair.publicKey); // for everyone who verifies the log
 * ```
 *
 * @throws AuditSetupError for another name
 */
export function generateCheckpointKey(name: string): CheckpointKeyPair {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new AuditSetupError('generateCheckpointKey', [
      'the name must have 1 to 200 characters without spaces and plus signs, such as api.example.com/audit',
    ]);
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES);
  const publicBytes = publicBytesOf(privateKey);
  const [hash, typed] = [hashOf(name, publicBytes), Buffer.concat([Buffer.of(ED25519_TYPE), seed])];
  return {
    privateKey: `PRIVATE+KEY+${name}+${hash}+${typed.toString('base64')}`,
    publicKey: publicTextOf(name, publicBytes),
  };
}

/**
 * Reads the private key of checkpoints from its text form, which `sallyport-audit-keygen` and
 * {@link generateCheckpointKey} make.
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
export function parseCheckpointKey(text: string): CheckpointKey {
  const fault = (what: string) => new AuditSetupError('parseCheckpointKey', [what]);
  const [, name = '', hash, digits = ''] = PRIVATE_FORM.exec(typeof text === 'string' ? text.trim() : '') ?? [];
  const bytes = Buffer.from(digits, 'base64');
  if (hash === undefined || bytes[0] !== ED25519_TYPE)
    throw fault('the text must be PRIVATE+KEY+name+hash+base64, an Ed25519 key of sallyport-audit-keygen');
  const seed = bytes.subarray(1);
  if (!isRandomEnough(seed)) throw fault('the key must be of random bytes');
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicBytes = publicBytesOf(privateKey);
  if (hashOf(name, publicBytes) !== hash) throw fault('the hash in the text is not that of its name and key');
  return Object.freeze({
    name,
    publicKey: publicTextOf(name, publicBytes),
    sign: (content: Uint8Array) => sign(null, content, privateKey),
  });
}

/** Parses the text form of a public key. Null if it is not one. */
export function readPublicKey(text: unknown): CheckpointVerifier | null {
  const [, name = '', hash = '', digits = ''] = PUBLIC_FORM.exec(typeof text === 'string' ? text.trim() : '') ?? [];
  const bytes = Buffer.from(digits, 'base64');
  const publicBytes = bytes.subarray(1);
  if (bytes[0] !== ED25519_TYPE || hashOf(name, publicBytes) !== hash) return null;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicBytes]), format: 'der', type: 'spki' });
  return { name, hash, key };
}

/** Whether the text is the public key of checkpoints in its text form: `name+hash+base64`. */
export function isCheckpointPublicKey(text: string): boolean {
  return readPublicKey(text) !== null;
}

function publicBytesOf(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

function publicTextOf(name: string, publicBytes: Buffer): string {
  const typed = Buffer.concat([Buffer.of(ED25519_TYPE), publicBytes]);
  return `${name}+${hashOf(name, publicBytes)}+${typed.toString('base64')}`;
}

function hashOf(name: string, publicBytes: Uint8Array): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(ED25519_TYPE)).update(publicBytes);
  return hash.digest('hex').slice(0, 8);
}

/** The rule of an option that takes a private key. */
export const checkpointKeyRule = objectWith<CheckpointKey>({
  methods: ['sign'],
  meaning: 'a key of parseCheckpointKey, or { name, publicKey, sign }',
});

/** Faults of a key of the application. */
export function checkpointKeyFaults(key: CheckpointKey | null | undefined): string[] {
  if (key === null || key === undefined) return [];
  return readPublicKey(key.publicKey)?.name === key.name
    ? []
    : ['checkpointKey.publicKey must be a public key in its text form, with the name of the key'];
}

/** The rule of an option that takes public keys. */
export const publicKeysRule = option<readonly string[]>({
  meaning: 'a list of public keys of checkpoints, such as name+hash+base64',
  accepts: (value) => Array.isArray(value) && value.every((text) => readPublicKey(text) !== null),
  read: (value: readonly string[]) => [...value],
  default: [],
});
