import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuditSetupError } from '../../src/index.js';
import { readPublicKey } from '../../src/notes/checkpoint-keys.js';
import {
  type CheckpointContent,
  createMerkleTree,
  createNoteProof,
  hashLeaf,
  readCheckpoint,
  signCheckpoint,
} from '../../src/notes/index.js';
import { runKeygenCommand } from '../../src/notes/keygen-command.js';
import { signNote, splitNote, stateOfNote } from '../../src/notes/signed-note.js';
import { generateCheckpointKey, isCheckpointPublicKey, parseCheckpointKey } from '../../src/postgres.js';
import { makeCheckpointKey } from '../records.js';

describe('the tree of a log', () => {
  // certificate-transparency, reference test vectors of RFC 6962: the leaves, and the root after each.
  const vectors = [
    ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
    ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
    ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ] as const;

  it('AUD-12 has the roots of RFC 6962', () => {
    const tree = createMerkleTree();
    expect(Buffer.from(tree.root(), 'base64').toString('hex')).toBe(createHash('sha256').digest('hex'));
    for (const [leaf, root] of vectors) {
      tree.append(hashLeaf(Buffer.from(leaf, 'hex')));
      expect(Buffer.from(tree.root(), 'base64').toString('hex')).toBe(root);
    }
  });

  /** MTH of RFC 6962, section 2.1, as it is written there. */
  function rootOf(leaves: readonly Buffer[]): Buffer {
    if (leaves.length === 1) return leaves[0] as Buffer;
    let half = 1;
    while (half * 2 < leaves.length) half *= 2;
    const children = [rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))];
    return createHash('sha256').update(Buffer.of(1)).update(Buffer.concat(children)).digest();
  }

  it('AUD-12 rows, gaps and continuations at any place give the root of the whole tree', () => {
    const part = fc.record({ rows: fc.nat(9), gaps: fc.nat(40) });
    const gap = hashLeaf('22:sallyport audit gap v1');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const leaves: Buffer[] = [];
        let tree = createMerkleTree();
        for (const { rows, gaps } of parts) {
          // Continued from what would be stored.
          tree = createMerkleTree(tree.state());
          for (let row = 0; row < rows; row += 1) {
            leaves.push(hashLeaf(`row ${leaves.length}`));
            tree.append(leaves.at(-1) as Buffer);
          }
          for (let index = 0; index < gaps; index += 1) leaves.push(gap);
          tree.appendGaps(leaves.length);
        }
        expect(tree.size).toBe(leaves.length);
        if (leaves.length > 0) expect(tree.root()).toBe(rootOf(leaves).toString('base64'));
      }),
    );
  });

  it('AUD-12 a gap of any length costs some hashes only', () => {
    const tree = createMerkleTree();
    tree.append(hashLeaf('row'));
    tree.appendGaps(2 ** 52 + 12_345);
    expect(tree.state()).toMatchObject({ size: 2 ** 52 + 12_345 });
  });
});

describe('a signed note', () => {
  // golang.org/x/mod/sumdb/note, the example of its documentation.
  const secret = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
  const publicKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const signature =
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=';

  it('AUD-12 is the one that Go makes, and verifies with its public key', async () => {
    const key = parseCheckpointKey(secret);
    expect(key).toMatchObject({ name: 'PeterNeumann', publicKey });
    const note = await signNote(text, key);
    expect(note).toBe(`${text}\n${signature}\n`);
    const verifiers = [readPublicKey(publicKey)].filter((one) => one !== null);
    const split = splitNote(note);
    expect(split && stateOfNote(split, verifiers)).toBe('genuine');
    const other = splitNote(note.replace('problem is', 'problem was'));
    expect(other && stateOfNote(other, verifiers)).toBe('forged');
    expect(split && stateOfNote(split, [])).toBe('unknown');
  });
});

describe('a checkpoint', () => {
  const tree = createMerkleTree();
  for (const row of ['a', 'b', 'c']) tree.append(hashLeaf(row));
  const content: CheckpointContent = {
    kind: 'progress',
    sequence: 3,
    root: tree.root(),
    frontier: tree.state().frontier,
    mac: 'A'.repeat(43),
    at: '2026-11-21T16:15:09.123Z',
    before: null,
    since: null,
    gaps: [],
  };
  const key = makeCheckpointKey('log.example/audit');

  it('AUD-12 is a C2SP checkpoint: origin, size, root, extension lines, signature', async () => {
    const { note } = await signCheckpoint(content, key);
    const [hash] = key.publicKey.split('+').slice(1);
    const lines = note.split('\n');
    expect(lines.slice(0, 8)).toEqual([
      'log.example/audit',
      '3',
      tree.root(),
      'kind progress',
      'time 2026-11-21T16:15:09.123Z',
      `mac ${content.mac}`,
      `frontier ${tree.state().frontier.join(' ')}`,
      '',
    ]);
    expect(lines[8]).toMatch(/^— log\.example\/audit [A-Za-z0-9+/]{91}=$/);
    expect(
      Buffer.from(lines[8]?.split(' ')[2] ?? '', 'base64')
        .subarray(0, 4)
        .toString('hex'),
    ).toBe(hash);
    expect(lines.slice(9)).toEqual(['']);
  });

  it('AUD-12 reads what it wrote, of every kind', async () => {
    const kinds: CheckpointContent[] = [
      content,
      { ...content, kind: 'cut', before: '2026-01-01T00:00:00.000Z' },
      { ...content, kind: 'cut', before: '2026-01-01T00:00:00.000Z', since: 0 },
      { ...content, kind: 'accepted', since: 2, mac: null },
    ];
    for (const one of kinds) {
      const signed = await signCheckpoint(one, key);
      expect(readCheckpoint(signed.note)).toEqual(signed);
      expect(signed).toMatchObject(one);
    }
  });

  it('AUD-12 no changed character is genuine, and no other form is read', async () => {
    const { note } = await signCheckpoint(content, key);
    const stateOf = createNoteProof([key.publicKey]);
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.constantFrom(...'aA0 \n+—'), (index, character) => {
        const changed = note.slice(0, index) + character + note.slice(index + 1);
        const read = readCheckpoint(changed);
        expect(changed === note || read === null || stateOf(read) !== 'genuine').toBe(true);
      }),
    );
    for (const other of [note.slice(0, -1), `${note}\n`, `\n${note}`, note.replace('\n3\n', '\n03\n'), 7, null])
      expect(readCheckpoint(other)).toBeNull();
  });

  it('AUD-12 one of another log, or of another key of the same name, is not genuine', async () => {
    const { note } = await signCheckpoint(content, key);
    const checkpoint = readCheckpoint(note);
    if (checkpoint === null) throw new Error('unread');
    expect(createNoteProof([makeCheckpointKey('log.example/audit').publicKey])(checkpoint)).toBe('unknown');
    const stranger = makeCheckpointKey('other.example');
    const ofOther = await signCheckpoint(content, { ...stranger, name: 'log.example/audit' }).catch(() => null);
    expect(ofOther === null || createNoteProof([stranger.publicKey])(ofOther) !== 'genuine').toBe(true);
  });

  it('AUD-12 a witness may add its signature', async () => {
    const { note } = await signCheckpoint(content, key);
    const witness = await signNote(splitNote(note)?.text ?? '', makeCheckpointKey('witness.example'));
    const cosigned = readCheckpoint(note + witness.slice(witness.lastIndexOf('\n\n') + 2));
    expect(cosigned && createNoteProof([key.publicKey])(cosigned)).toBe('genuine');
  });

  it('AUD-12 a mac that is not one cannot add lines', async () => {
    const mac = `x\nkind accepted\n${'A'.repeat(43)}`;
    expect(await signCheckpoint({ ...content, mac }, key)).toMatchObject({ mac: null, kind: 'progress' });
  });

  it('AUD-12 a key of a KMS signs too, unless its public key is that of another one', async () => {
    const pair = parseCheckpointKey(generateCheckpointKey('kms.example').privateKey);
    const { privateKey } = generateKeyPairSync('ed25519');
    const kms = { ...pair, sign: async (bytes: Uint8Array) => pair.sign(bytes) };
    expect(await signCheckpoint(content, kms)).toMatchObject({ origin: 'kms.example' });
    const wrong = { ...pair, sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) };
    await expect(signCheckpoint(content, wrong)).rejects.toThrow('not one of its public key');
  });

  it('AUD-12 a key of a KMS that never answers ends a signature with an error', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const silent = { ...makeCheckpointKey(), sign: () => new Promise<Uint8Array>(() => {}) };
    const signed = signCheckpoint(content, silent).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await signed).toMatchObject({ message: expect.stringContaining('not signed within') });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the keys of checkpoints', () => {
  it('AUD-12 sallyport-audit-keygen makes a pair that works, and refuses a bad name', () => {
    const run = (...argv: string[]) => {
      const [output, errors]: [string[], string[]] = [[], []];
      const status = runKeygenCommand({
        argv,
        write: (line) => void output.push(line),
        writeError: (line) => void errors.push(line),
      });
      return { status, output: output.join(''), errors: errors.join('') };
    };
    const { status, output } = run('api.example.com/audit');
    const [, secret = '', publicKey] = /^private (.+)\npublic {2}(.+)\n$/.exec(output) ?? [];
    expect([status, parseCheckpointKey(secret).publicKey]).toEqual([0, publicKey]);
    expect(run('two words')).toMatchObject({ status: 2, output: '', errors: expect.stringContaining('the name must') });
    expect(run()).toMatchObject({ status: 2, output: '' });
    expect(run('--help')).toMatchObject({ status: 0, output: expect.stringContaining('NAME') });
  });

  it('AUD-12 refuses other texts, wrong hashes and keys that are not random, without quoting them', () => {
    const { privateKey, publicKey } = generateCheckpointKey('log.example');
    const weak = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 7)]).toString('base64');
    const digits = privateKey.split('+').slice(4).join('+');
    for (const text of [
      '',
      publicKey,
      privateKey.slice(1),
      privateKey.replace('log', 'lag'),
      `PRIVATE+KEY+a+00000000+${weak}`,
    ]) {
      expect(() => parseCheckpointKey(text)).toThrow(AuditSetupError);
      try {
        parseCheckpointKey(text);
      } catch (error) {
        expect(String(error)).not.toContain(digits);
      }
    }
    expect(isCheckpointPublicKey(publicKey)).toBe(true);
    expect(isCheckpointPublicKey(publicKey.replace('log', 'lag'))).toBe(false);
  });
});
