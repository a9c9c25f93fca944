import { sm2PublicKey } from '../../src/gm/index.js';
import { bytesOf, hexOf } from './drawn-bytes.js';
import type { KeyEntry } from './vector-types.js';

const entry = (kid: string, privateKey: string): KeyEntry => ({
  kid,
  privateKey,
  publicKey: hexOf(sm2PublicKey(bytesOf(privateKey))),
});

/** The key of the worked example in `docs/envelope-v1.md`, and two more. The start of every server refuses them. */
export const keys: readonly KeyEntry[] = [
  entry('2025-11', '2b9b030e05a3caa163fff7e6835dfe4598ca56a3d4fde79b4e50a1b3170a8581'),
  entry('2025-05', 'f80d30c8c598710d14b5d9f62ee02947eb01cb6b64ddd1b74851fa26c6627fb9'),
  entry('a', '7afa2961dc9705b4e20c363fa34253c5eaa1bb1e4262e1ccad0c49adde9ea5a1'),
];

export function keyOf(kid: string): KeyEntry {
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) throw new Error(`no key ${kid}`);
  return key;
}
