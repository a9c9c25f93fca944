import { expect, it } from 'vitest';
import { actionOf, hasReadsHidden } from '../src/places/audit-log/action-filter.js';

it.each([
  [undefined, {}],
  ['payment.create', { action: 'payment.create' }],
  ['payment', { actionPrefix: 'payment' }],
  ['payment.', { actionPrefix: 'payment.' }],
  ['payment.c*', { actionPrefix: 'payment.c' }],
  ['*', {}],
])('CON-8 the typed action %s asks for %o', (typed, filter) => {
  expect(actionOf(typed)).toEqual(filter);
});

it('CON-8 reads are hidden, but not where one of them or a whole request is asked for', () => {
  expect(hasReadsHidden({})).toBe(true);
  expect(hasReadsHidden({ action: 'payment.create' })).toBe(true);
  expect(hasReadsHidden({ action: 'payment.read' })).toBe(false);
  expect(hasReadsHidden({ requestId: 'abc' })).toBe(false);
});
