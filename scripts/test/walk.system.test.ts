import { expect, test } from 'vitest';
import { WALKS } from '../walk/budgets.mjs';
import { walkRequests } from '../walk/walk-requests.mjs';

/** What depends on the turn in which an answer of a store arrives. */
const SLACK = 6;

test('HSE-2 a request goes through no more files, packages and rooms than its budget allows', {
  timeout: 240_000,
}, async () => {
  const walks = Object.entries(await walkRequests());
  expect(walks.map(([request]) => request)).toEqual(Object.keys(WALKS));
  for (const [request, { calls, ...counts }] of walks) {
    // A server that is not traced would be within every budget.
    expect(calls.length, request).toBeGreaterThan(100);
    for (const [name, budget] of Object.entries(WALKS[request as keyof typeof WALKS])) {
      const count = counts[name as keyof typeof counts];
      expect(count, `${request}: ${name}`).toBeLessThanOrEqual(budget + SLACK);
      expect(count, `${request}: ${name}; lower the budget`).toBeGreaterThan(budget * 0.9);
    }
  }
});
