import { createHash } from 'node:crypto';

/*
 * The Merkle tree of RFC 6962, section 2.1, in its compact form: the hashes of its perfect subtrees, from the largest
 * to the smallest. They are enough to append leaves and to compute the root, so a tree of n leaves needs at most log2 n
 * hashes.
 */
const LEAF_PREFIX = Buffer.of(0);
const NODE_PREFIX = Buffer.of(1);

/** The stored form of a tree: its size, and the hashes of its perfect subtrees in base64. */
export interface TreeState {
  readonly size: number;
  readonly frontier: readonly string[];
}

export interface MerkleTree {
  readonly size: number;
  /** Appends the hash of a leaf. */
  append(leaf: Buffer): void;
  /** Appends equal leaves up to this size. It needs O(log² n) hashes, so even a huge gap is cheap. */
  appendGaps(size: number): void;
  /** The root, in base64. */
  root(): string;
  state(): TreeState;
}

const EMPTY: TreeState = { size: 0, frontier: [] };

/** The hash of a leaf with this content. */
export function hashLeaf(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(LEAF_PREFIX).update(content).digest();
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE_PREFIX).update(left).update(right).digest();
}

/**
 * The leaf of a missing row. The content of a row is longer, so no row has this leaf. It is the same for every
 * sequence, so that perfect subtrees of gaps of the same size have the same hash.
 */
const GAP_CONTENT = '22:sallyport audit gap v1';

/** The hashes of perfect subtrees of gaps, by level. */
const gapHashes: Buffer[] = [hashLeaf(GAP_CONTENT)];

function gapHash(level: number): Buffer {
  for (let last = gapHashes.length - 1; last < level; last += 1) {
    const below = gapHashes[last] as Buffer;
    gapHashes.push(hashNode(below, below));
  }
  return gapHashes[level] as Buffer;
}

/** @param state a tree to continue. It must be one of {@link isTreeState} */
export function createMerkleTree({ size: start, frontier }: TreeState = EMPTY): MerkleTree {
  let size = start;
  const hashes: Buffer[] = frontier.map((hash) => Buffer.from(hash, 'base64'));

  /** Appends a perfect subtree of 2^level leaves. The size must be a multiple of that. */
  function appendSubtree(subtree: Buffer, level: number): void {
    let merged: Buffer = subtree;
    // Bit operators can't be used, because they are limited to 32 bits.
    for (let index = size / 2 ** level; index % 2 === 1; index = (index - 1) / 2)
      merged = hashNode(hashes.pop() as Buffer, merged);
    hashes.push(merged);
    size += 2 ** level;
  }

  return {
    get size() {
      return size;
    },
    append: (leaf) => appendSubtree(leaf, 0),
    appendGaps(target) {
      while (size < target) {
        let level = 0;
        while (size % 2 ** (level + 1) === 0 && size + 2 ** (level + 1) <= target) level += 1;
        appendSubtree(gapHash(level), level);
      }
    },
    root() {
      const smallest = hashes.at(-1);
      if (smallest === undefined) return createHash('sha256').digest('base64');
      return hashes
        .slice(0, -1)
        .reduceRight<Buffer>((right, left) => hashNode(left, right), smallest)
        .toString('base64');
    },
    state: () => ({ size, frontier: hashes.map((hash) => hash.toString('base64')) }),
  };
}

/** Whether a frontier fits its size: one hash for each bit that is set. */
export function isTreeState({ size, frontier }: TreeState): boolean {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return frontier.length === bits && frontier.every((hash) => /^[A-Za-z0-9+/]{43}=$/.test(hash));
}
