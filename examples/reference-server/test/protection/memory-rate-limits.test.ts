import rateLimit from '@fastify/rate-limit';
import { fastify } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryRateLimits } from '../../src/protection/memory-rate-limits.js';

function count(limits: MemoryRateLimits, key: string): { current: number; ttl: number } {
  let result = { current: 0, ttl: 0 };
  limits.incr(
    key,
    (_error, counted) => {
      result = counted ?? result;
    },
    60_000,
  );
  return result;
}

describe('rate limits in memory', () => {
  afterEach(() => vi.useRealTimers());

  it('ADM-4 of ten parallel requests with a limit of five, five are served', async () => {
    const app = fastify();
    await app.register(rateLimit, { max: 5, timeWindow: 60_000, store: MemoryRateLimits });
    app.get('/', () => 'served');
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.inject('/')));
    await app.close();
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([...Array(5).fill(200), ...Array(5).fill(429)]);
  });

  it('ADM-4 a window ends by the clock, and a clock that is set back extends none', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const limits = new MemoryRateLimits();
    expect([count(limits, 'a'), count(limits, 'a')]).toEqual([
      { current: 1, ttl: 60_000 },
      { current: 2, ttl: 60_000 },
    ]);
    vi.setSystemTime(1_059_999);
    expect(count(limits, 'a')).toEqual({ current: 3, ttl: 1 });
    vi.setSystemTime(1_060_000);
    expect(count(limits, 'a').current).toBe(1);
    vi.setSystemTime(1_000);
    expect(count(limits, 'a')).toEqual({ current: 1, ttl: 60_000 });
  });

  it('ADM-4 its memory is bounded: the client that has been silent longest loses its count', () => {
    const limits = new MemoryRateLimits();
    count(limits, 'silent');
    count(limits, 'busy');
    for (let client = 0; client < 49_998; client += 1) count(limits, `${client}`);
    count(limits, 'busy');
    count(limits, 'one more');
    expect(count(limits, 'busy').current).toBe(3);
    expect(count(limits, 'silent').current).toBe(1);
  });

  it('ADM-4 a route with its own limit has its own counters', () => {
    const limits = new MemoryRateLimits();
    count(limits, 'a');
    expect(count(limits.child() as MemoryRateLimits, 'a').current).toBe(1);
  });
});
