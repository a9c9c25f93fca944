import { expect, it } from 'vitest';
import { verdictOf } from '../src/places/audit-log/verdict.js';

it.each([
  [{ intact: true, coveredTo: 12, checkpoints: 3 }, 'intact'],
  [{ intact: true, coveredTo: 0, checkpoints: 0 }, 'unproven'],
  [{ intact: true, coveredTo: null, checkpoints: null }, 'unproven'],
  [{ intact: false, coveredTo: 12, checkpoints: 3 }, 'broken'],
] as const)(
  'CON-9 a log without a fault is called intact only up to a signed checkpoint: %o is %s',
  (found, verdict) => {
    expect(verdictOf(found)).toBe(verdict);
  },
);
