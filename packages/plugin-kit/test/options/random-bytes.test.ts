import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { isRandomEnough } from '../../src/options/index.js';

const counts = (from: number, step: number, length: number) =>
  Array.from({ length }, (_, i) => (from + i * step + 256) % 256);

it.each([
  ['zeros', new Array(32).fill(0)],
  ['a passphrase', [...Buffer.from('aaaabbbbccccddddeeeeffffgggghhhh')]],
  ['a count', counts(0, 1, 32)],
  ['two counts', [...counts(0, 1, 16), ...counts(16, 1, 16)]],
  ['two counts from afar', [...counts(160, 1, 16), ...counts(16, 1, 16)]],
  ['a count down', counts(200, -3, 32)],
  ['four counts', [...counts(0, 2, 8), ...counts(100, -2, 8), ...counts(90, 2, 8), ...counts(220, -2, 8)]],
])('ENV-10 a key of %s is no random key', (_name, bytes) => {
  expect(isRandomEnough(Uint8Array.from(bytes))).toBe(false);
});

it('ENV-10 random keys are accepted', () => {
  expect(Array.from({ length: 10_000 }, () => isRandomEnough(randomBytes(32))).every(Boolean)).toBe(true);
});
