import { expect, it } from 'vitest';
import { actionOf, hasReadsHidden } from '../src/places/audit-log/action-filter.js';
import { texts } from '../src/places/audit-log/texts.js';

it.each([
  [undefined, {}],
  ['payment.create', { action: 'payment.create' }],
  ['payment.create,payment.read', { action: 'payment.create,payment.read' }],
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
  expect(hasReadsHidden({ action: 'payment.read,payment.create' })).toBe(false);
  expect(hasReadsHidden({ action: 'payment.create,payment.pay' })).toBe(true);
  expect(hasReadsHidden({ requestId: 'abc' })).toBe(false);
});

it('CON-1 one record is written in the singular', () => {
  const { found, received, exported } = texts.en;
  expect([found('1', 1), received('1', '9 B', 1), exported('1', 1)]).toEqual([
    'The filters find 1 record now.',
    '1 record, 9 B',
    '1 record was saved.',
  ]);
  expect([found('0', 0), received('2', '9 B', 2), exported('1,000', 1000)]).toEqual([
    'The filters find 0 records now.',
    '2 records, 9 B',
    '1,000 records were saved.',
  ]);
});
