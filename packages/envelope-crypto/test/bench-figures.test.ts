import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, withTables } from '../bench/readme-table.mjs';

it('PRF-1 PRF-2 the reference has the figures of the kept benchmark run, or none without a run', () => {
  const text = readFileSync(page, 'utf8');
  expect(withTables(text)).toBe(text);
});
