import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTables } from '../bench/readme-table.mjs';

it('PRF-1 PRF-2 the README has the figures of the kept benchmark run, or none without a run', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(withTables(readme)).toBe(readme);
});
