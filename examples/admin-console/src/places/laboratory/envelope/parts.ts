import { decodeBase64url, encodeBase64url } from '../protocol/base64url.js';
import type { Sent } from '../protocol/delivery.js';
import {
  BOUND_FIELDS,
  type BoundField,
  boundValues,
  type SealedEnvelope,
  splitCiphertext,
} from '../protocol/envelope.js';
import { MEMBERS, type Member } from '../texts/part-texts.js';

/** The colors of the members. */
const COLORS: Readonly<Record<Member, string>> = {
  kid: 'gray',
  ts: 'orange',
  nonce: 'grape',
  ek: 'blue',
  iv: 'cyan',
  ct: 'teal',
  tag: 'green',
};

/** The name on the wire of each bound value. */
const FIELD_NAMES: Readonly<Record<BoundField, string>> = {
  version: 'v',
  suite: 'suite',
  kid: 'kid',
  carrier: 'carrier',
  ts: 'ts',
  nonce: 'nonce',
  method: 'METHOD',
  path: 'path',
  authorization: 'authorization',
  idempotencyKey: 'idempotency-key',
};

/** A part that can be explained: a member of the envelope, or a value that its tag binds. */
export interface Part {
  readonly id: string;
  readonly label: string;
  readonly labelWidth: number;
  readonly color: string;
  readonly name: string;
  readonly meaning: string;
  readonly value: string;
  /** Null for a value that is a text. */
  readonly bytes: Uint8Array | null;
}

type PartTable<Name extends string> = Readonly<Record<Name, { readonly name: string; readonly meaning: string }>>;

/** The members of the envelope. */
export function memberParts({ members }: SealedEnvelope, names: PartTable<Member>): readonly Part[] {
  const { ciphertext, tag } = splitCiphertext(members.ct);
  const values: Readonly<Record<Member, Pick<Part, 'value' | 'bytes'>>> = {
    kid: { value: members.kid, bytes: null },
    ts: { value: String(members.ts), bytes: null },
    nonce: { value: members.nonce, bytes: decodeBase64url(members.nonce) },
    ek: { value: members.ek, bytes: decodeBase64url(members.ek) },
    iv: { value: members.iv, bytes: decodeBase64url(members.iv) },
    ct: { value: encodeBase64url(ciphertext), bytes: ciphertext },
    tag: { value: encodeBase64url(tag), bytes: tag },
  };
  return MEMBERS.map((member) => ({
    id: `member-${member}`,
    label: member,
    labelWidth: 60,
    color: COLORS[member],
    ...names[member],
    ...values[member],
  }));
}

/** The values that the tag binds. */
export function boundParts(sent: Sent, envelope: SealedEnvelope, names: PartTable<BoundField>): readonly Part[] {
  const values = boundValues(envelope, sent.request, sent.token);
  return BOUND_FIELDS.map((field) => ({
    id: `bound-${field}`,
    label: FIELD_NAMES[field],
    labelWidth: 116,
    color: 'gray',
    ...names[field],
    value: values[field],
    bytes: field === 'authorization' && values[field] !== '-' ? decodeBase64url(values[field]) : null,
  }));
}
