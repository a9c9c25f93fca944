import { describe, expect, it } from 'vitest';
import { createClientCounters } from '../src/client-counters.js';

describe('counters of clients in memory', () => {
  it('ORD-1 count each client in a window of its own, and say how much of it is left', () => {
    let time = 1_000_000;
    const counters = createClientCounters({ maxClients: 10, windowMillis: 1000, now: () => time });
    expect(counters.increment('a')).toEqual({ value: 1, remainingMillis: 1000 });
    time += 400;
    expect(counters.increment('a')).toEqual({ value: 2, remainingMillis: 600 });
    expect(counters.increment('b')).toEqual({ value: 1, remainingMillis: 1000 });
    time += 600;
    expect(counters.increment('a')).toEqual({ value: 1, remainingMillis: 1000 });
    expect(counters.increment('b')).toEqual({ value: 2, remainingMillis: 400 });
  });

  it('ORD-1 a clock that is set back makes nobody wait longer than a window', () => {
    let time = 1_000_000_000;
    const counters = createClientCounters({ maxClients: 10, windowMillis: 1000, now: () => time });
    counters.increment('a');
    time -= 500_000_000;
    expect(counters.increment('a')).toEqual({ value: 1, remainingMillis: 1000 });
  });

  it('ORD-1 memory is bounded: the client that was quiet longest is forgotten, and no other', () => {
    const counters = createClientCounters({ maxClients: 3, windowMillis: 1000, now: () => 1_000_000 });
    for (const client of ['a', 'b', 'c', 'a', 'd']) counters.increment(client);
    expect(counters.increment('a').value).toBe(3);
    expect(counters.increment('c').value).toBe(2);
    expect(counters.increment('d').value).toBe(2);
    expect(counters.increment('b').value).toBe(1);
  });
});
