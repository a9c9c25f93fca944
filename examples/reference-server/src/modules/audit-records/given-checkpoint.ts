import { type Checkpoint, isCheckpointPublicKey, readSignedCheckpoint } from '@sallyport/audit-log/postgres';
import { Type } from 'typebox';
import { BodyInvalidError } from '../../http/errors.js';
import type { Language, Texts } from '../../http/language.js';

/** The note and the key of an auditor. Both are bounded, so that reading them is. */
export const givenCheckpoint = {
  checkpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
  publicKey: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
};

/** A genuine checkpoint that a client gave. */
export interface GivenCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Null: the server's own. */
  readonly publicKey: string | null;
}

export function shownCheckpoint({ checkpoint: { origin, sequence, at }, publicKey }: GivenCheckpoint) {
  return { origin, sequence, at, ownKey: publicKey === null };
}

interface ReadingOptions {
  readonly publicKey: string | undefined;
  /** The public keys of the server. */
  readonly ownKeys: readonly string[];
  /** The language of the details of a refusal. */
  readonly language: Language;
}

/**
 * Reads a note, and verifies its signature. Only its rows count: a note that names deletions or gaps excuses findings,
 * so it has to come from the places of the server.
 *
 * @throws {BodyInvalidError}
 */
export function readGivenCheckpoint(note: string, { publicKey, ownKeys, language }: ReadingOptions): GivenCheckpoint {
  const key = publicKey?.trim() ?? null;
  if (key !== null && !isCheckpointPublicKey(key)) throw fault('publicKey', faults.key[language]);
  const read = readSignedCheckpoint(`${note.replaceAll('\r\n', '\n').trim()}\n`, key === null ? ownKeys : [key]);
  if (read === null) throw fault('checkpoint', faults.note[language]);
  const { checkpoint, state } = read;
  if (state !== 'genuine') throw fault('checkpoint', faults.signature[language]);
  if (checkpoint.kind !== 'progress' || checkpoint.gaps.length > 0) {
    throw fault('checkpoint', faults.kind[language]);
  }
  return { checkpoint, publicKey: key === null || ownKeys.includes(key) ? null : key };
}

const faults = {
  key: { en: 'has to be a public key of checkpoints', 'zh-CN': '须为检查点的公钥' },
  note: {
    en: 'has to be the whole note of a checkpoint, with its signature',
    'zh-CN': '须为完整的检查点文本，包含签名',
  },
  signature: { en: 'was not signed with this key', 'zh-CN': '不是用此密钥签名的' },
  kind: {
    en: 'has to be a checkpoint of kind progress, without gaps',
    'zh-CN': '须为 progress 类型且不含缺口的检查点',
  },
} as const satisfies Readonly<Record<string, Texts>>;

const fault = (name: string, detail: string) => new BodyInvalidError([{ pointer: `/${name}`, detail }]);
