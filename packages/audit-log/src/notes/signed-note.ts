import { verify } from 'node:crypto';
import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import type { CheckpointKey, CheckpointVerifier } from './checkpoint-keys.js';
import { readPublicKey } from './checkpoint-keys.js';

/*
 * Signed notes (C2SP signed-note): a text that ends with a line feed, an empty line, and one line for each signature:
 *
 *   — NAME base64(4 bytes of the hash of the key | signature)
 */
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u;
const HASH_BYTES = 4;
const ED25519_BYTES = 64;

/** The time limit of a signature, in milliseconds. A KMS or an HSM may never answer. */
const SIGNATURE_LIMIT_MILLIS = 15_000;

export interface NoteSignature {
  readonly name: string;
  readonly hash: string;
  readonly signature: Buffer;
}

/** A note as read, not verified yet. */
export interface SplitNote {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Whether a line of a note is a signature. */
export function isSignatureLine(line: string): boolean {
  return line.startsWith('— ');
}

/**
 * The text with its signature.
 *
 * @throws Error if the signature does not belong to the public key, or does not come in time
 */
export async function signNote(text: string, key: CheckpointKey): Promise<string> {
  const verifier = readPublicKey(key.publicKey) as CheckpointVerifier;
  const signed = withinDeadline(
    (async () => key.sign(Buffer.from(text)))(),
    SIGNATURE_LIMIT_MILLIS,
    () => new Error(`The checkpoint key has not signed within ${SIGNATURE_LIMIT_MILLIS} ms`),
  );
  const signature = Buffer.from(await signed);
  // The key in an HSM may not belong to the given public key.
  if (!isSignatureOf(text, signature, verifier))
    throw new Error('The signature of the checkpoint key is not one of its public key');
  const hashed = Buffer.concat([Buffer.from(verifier.hash, 'hex'), signature]);
  return `${text}\n— ${key.name} ${hashed.toString('base64')}\n`;
}

/** The parts of a note. Null if the text is not a note, or is incomplete, such as after a crash. */
export function splitNote(note: string): SplitNote | null {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return null;
  const signatures: NoteSignature[] = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, digits] = SIGNATURE_LINE.exec(line) ?? [];
    if (name === undefined) return null;
    const bytes = Buffer.from(digits ?? '', 'base64');
    // The signature is incomplete, or of another kind, such as the cosignature of a witness.
    if (bytes.length !== HASH_BYTES + ED25519_BYTES || digits !== bytes.toString('base64')) continue;
    const hash = bytes.subarray(0, HASH_BYTES).toString('hex');
    signatures.push({ name, hash, signature: bytes.subarray(HASH_BYTES) });
  }
  return signatures.length === 0 ? null : { text: note.slice(0, end + 1), signatures };
}

/** `genuine`: one of the keys signed it, and no signature of theirs is wrong. `unknown`: another key signed it. */
export type NoteState = 'genuine' | 'forged' | 'unknown';

export function stateOfNote({ text, signatures }: SplitNote, verifiers: readonly CheckpointVerifier[]): NoteState {
  let state: NoteState = 'unknown';
  for (const { name, hash, signature } of signatures) {
    const verifier = verifiers.find((one) => one.name === name && one.hash === hash);
    // A witness may have added its own signature.
    if (verifier === undefined) continue;
    if (!isSignatureOf(text, signature, verifier)) return 'forged';
    state = 'genuine';
  }
  return state;
}

function isSignatureOf(text: string, signature: Buffer, { key }: CheckpointVerifier): boolean {
  return signature.length === ED25519_BYTES && verify(null, Buffer.from(text), key, signature);
}
