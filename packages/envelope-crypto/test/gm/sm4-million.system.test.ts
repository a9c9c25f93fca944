import { expect, it } from 'vitest';
import { sm4 } from '../../src/gm/index.js';
import { bytes, hex } from '../vector-files.js';

it('EC-54 encrypts a block a million times, as in GB/T 32907-2016, A.2', () => {
  const key = bytes('0123456789abcdeffedcba9876543210');
  const { encryptBlock } = sm4(key);
  let block: Uint8Array = key;
  for (let i = 0; i < 1_000_000; i++) block = encryptBlock(block);
  expect(hex(block)).toBe('595298c7c6fd271f0402f804c33d3f66');
});
