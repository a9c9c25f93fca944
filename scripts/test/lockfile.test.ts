import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const lockfile = readFileSync(new URL('../../pnpm-lock.yaml', import.meta.url), 'utf8');

/** Every version of a package that the lockfile holds, e.g. [[5, 12, 8]]. */
function lockedVersions(name: string): number[][] {
  const entry = new RegExp(`^ {2}'?${name}@(\\d+)\\.(\\d+)\\.(\\d+)[^\\n]*:$`, 'gm');
  return [...lockfile.matchAll(entry)].map(([, ...parts]) => parts.map(Number));
}

const isAtLeast = (version: number[], floor: number[]): boolean => {
  const at = version.findIndex((part, index) => part !== floor[index]);
  return at === -1 || (version[at] as number) > (floor[at] as number);
};

// The releases that fixed known vulnerabilities in dependencies that answer requests.
const floors: Record<string, number[]> = {
  fastify: [5, 12, 6],
  '@fastify/multipart': [10, 1, 9],
  '@fastify/busboy': [3, 2, 6],
  '@fastify/jwt': [10, 2, 5],
  'fast-jwt': [6, 3, 1],
  'find-my-way': [9, 9, 0],
  '@fastify/proxy-addr': [5, 1, 1],
  '@fastify/rate-limit': [11, 2, 0],
};

describe('the lockfile', () => {
  for (const [name, floor] of Object.entries(floors)) {
    test(`SV-13 holds ${name} at ${floor.join('.')} or later, and no older copy`, () => {
      const versions = lockedVersions(name);
      expect(versions.length).toBeGreaterThan(0);
      expect(versions.filter((version) => !isAtLeast(version, floor))).toEqual([]);
    });
  }

  test('SV-13 the comparison tells an older version from a newer one', () => {
    expect(isAtLeast([5, 12, 5], [5, 12, 6])).toBe(false);
    expect(isAtLeast([4, 99, 9], [5, 12, 6])).toBe(false);
    expect(isAtLeast([5, 13, 0], [5, 12, 6])).toBe(true);
    expect(isAtLeast([5, 12, 6], [5, 12, 6])).toBe(true);
  });
});
