import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { createIdempotentApp, newKey, tally } from './idempotent-app.js';

const start = () => createIdempotentApp({ store: createMemoryStore() });

describe('what a client is told', () => {
  it('IDM-3 ID-01 ID-29 the second of two equal requests is told to refresh and view', async () => {
    const { submit, rows } = await start();
    const key = newKey();
    expect((await submit({ key })).statusCode).toBe(201);
    const second = await submit({ key });
    expect(second.statusCode).toBe(409);
    expect(second.json()).toEqual({
      statusCode: 409,
      code: 'IDEMPOTENCY_SUBMITTED',
      error: 'Conflict',
      message: 'The request was submitted already; refresh and view the result',
    });
    expect(rows).toHaveLength(1);
  });

  it('IDM-3 ID-02 of fifty in parallel one is done', async () => {
    const { submit, rows } = await start();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit({ key })));
    const { done, ...refused } = tally(answers);
    expect(done).toBe(1);
    expect(Object.keys(refused).every((code) => /^IDEMPOTENCY_(PROCESSING|SUBMITTED)$/.test(code))).toBe(true);
    expect(rows).toHaveLength(1);
  });
});
