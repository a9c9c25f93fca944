import { expect, it } from 'vitest';
import { missingRows } from '../../../src/modules/audit-records/missing-rows.js';

it('AUD-15 one missing row is not called a range', () => {
  expect(missingRows({ from: 3, to: 3 })).toBe('Row 3 is missing.');
  expect(missingRows({ from: 8, to: 11 })).toBe('The rows 8 to 11 are missing.');
});
