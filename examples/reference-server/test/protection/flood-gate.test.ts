import { describe, expect, it } from 'vitest';
import { createFloodGate } from '../../src/protection/flood-gate.js';

describe('flood gate', () => {
  it('ORD-3 passes up to the limit of a window, then says how long to wait, and starts a new window', () => {
    let time = 1_000_000;
    const gate = createFloodGate({ maxRequests: 3, windowSeconds: 10, now: () => time });
    expect([1, 2, 3].map(() => gate.secondsToWait('a'))).toEqual([0, 0, 0]);
    time += 2_500;
    expect(gate.secondsToWait('a')).toBe(8);
    expect(gate.secondsToWait('b')).toBe(0);
    time += 7_500;
    expect(gate.secondsToWait('a')).toBe(0);
  });

  it('ORD-3 CON-1 a request of a lower cost counts as a part of one', () => {
    const gate = createFloodGate({ maxRequests: 2, windowSeconds: 10, now: () => 1_000_000 });
    expect([1, 2, 3, 4].map(() => gate.secondsToWait('a', 0.25))).toEqual([0, 0, 0, 0]);
    expect([1, 2].map(() => gate.secondsToWait('a'))).toEqual([0, 10]);
    expect(gate.secondsToWait('a', 0.25)).toBe(10);
  });

  it('CON-1 a charge counts in the window in which it is made', () => {
    let time = 1_000_000;
    const gate = createFloodGate({ maxRequests: 40, windowSeconds: 10, now: () => time });
    expect(gate.secondsToWait('a')).toBe(0);
    gate.charge('a', 38);
    expect([1, 2].map(() => gate.secondsToWait('a'))).toEqual([0, 10]);
    time += 10_000;
    gate.charge('a', 39);
    expect([1, 2].map(() => gate.secondsToWait('a'))).toEqual([0, 10]);
  });

  it('ORD-3 setting the clock back locks no client out', () => {
    let time = 1_000_000_000;
    const gate = createFloodGate({ maxRequests: 1, windowSeconds: 10, now: () => time });
    expect(gate.secondsToWait('a')).toBe(0);
    time -= 500_000_000;
    expect(gate.secondsToWait('a')).toBe(0);
    expect(gate.secondsToWait('a')).toBeLessThanOrEqual(10);
  });

  it('ORD-3 its memory is bounded: when the table is full, new clients wait for the next window', () => {
    let time = 1_000_000;
    const gate = createFloodGate({ maxRequests: 2, windowSeconds: 10, now: () => time });
    for (let client = 0; client < 100_000; client += 1) gate.secondsToWait(`client ${client}`);
    gate.charge('another', 1);
    expect(gate.secondsToWait('one more')).toBe(10);
    expect(gate.secondsToWait('client 7')).toBe(0);
    time += 10_000;
    expect(gate.secondsToWait('one more')).toBe(0);
  });
});
