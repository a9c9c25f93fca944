import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { EventStream } from '../../../src/modules/activity/event-stream.js';
import { createActivityStreams, type StreamReader } from '../../../src/modules/activity/streams.js';

it('API-5: a reader that takes nothing costs one event, gets the last one, and is dropped in the end', async () => {
  const clock = { now: 0 };
  const sealed: string[] = [];
  const stream = new EventStream({
    seal: (data) => {
      sealed.push(data);
      return data;
    },
    now: () => clock.now,
  });
  for (let i = 0; i < 10_000; i += 1) stream.offer({ id: String(i), data: `${i}` });
  expect([stream.readableLength, sealed.length]).toEqual([0, 0]);
  clock.now += 29_999;
  expect(stream.isStalled).toBe(false);
  clock.now += 1;
  expect(stream.isStalled).toBe(true);
  stream.once('data', () => {});
  await turn();
  expect(sealed).toEqual(['9999']);
  expect(stream.isStalled).toBe(false);
  stream.finish();
  stream.offer({ id: 'x', data: 'after the end' });
  stream.finish();
});

it('API-5: readers of a process share one look a second, a beat comes without news, and a stalled one is cut', async () => {
  vi.useFakeTimers();
  try {
    let looks = 0;
    let count = 0;
    const streams = createActivityStreams({
      async read() {
        looks += 1;
        return { from: 0, interval: 1, kinds: { 'sign-in.failure': [count] } as never };
      },
      readSources: async () => ({ names: [], addresses: [], networks: [] }),
      readLocks: async () => ({ data: [], hasMore: false }),
      readSessions: async () => null,
      onFailure: () => {},
      now: () => Date.now(),
      maxOfPrincipal: 50,
    });
    const reader: StreamReader = {
      principal: 'one',
      window: 'hour',
      lastEventId: null,
      seal: (data) => data,
      check: async () => ({ maySeeSources: true, maySeeLocks: true }),
    };
    const opened = await Promise.all(Array.from({ length: 50 }, () => streams.open(reader)));
    const texts: string[] = [];
    opened[0]!.on('data', (chunk) => texts.push(String(chunk)));
    for (const stream of opened.slice(2)) stream.resume();
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toBe(11);
    expect(texts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(6000);
    expect(texts.at(-1)).toBe('data: {"kind":"beat"}\n\n');
    count += 1;
    await vi.advanceTimersByTimeAsync(1000);
    expect(texts.at(-1)).toContain('"sign-in.failure":[1]');
    // The second one has never read.
    expect(opened[1]!.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([false, true, ...new Array(48).fill(false)]);
    for (const stream of opened) stream.destroy();
    await vi.advanceTimersByTimeAsync(1000);
    const before = looks;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toBe(before);
  } finally {
    vi.useRealTimers();
  }
});
