import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTables } from '../bench/readme-table.mjs';

it('PRF-1 PRF-2 the figures of the README are those of the kept run of the benchmark, and there are none without one', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(withTables(readme)).toBe(readme);
});
