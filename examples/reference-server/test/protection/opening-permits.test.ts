import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { createOpeningPermits, type OpeningPermit } from '../../src/protection/opening-permits.js';

function permitsOf(perClient: number) {
  const window = { end: 10_000 };
  return { window, permits: createOpeningPermits({ perClient, windowEndsAt: () => window.end }) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('permits to open query envelopes', () => {
  afterEach(() => vi.useRealTimers());

  it('ORD-6 while all are under way the next request waits, in the order of arrival, and clients do not share them', async () => {
    const { permits } = permitsOf(1);
    const first = (await permits.take('a')) as OpeningPermit;
    const order: string[] = [];
    const second = Promise.resolve(permits.take('a')).then((permit) => {
      order.push('second');
      return permit;
    });
    const third = Promise.resolve(permits.take('a')).then(() => order.push('third'));
    expect(await permits.take('b')).not.toBeNull();
    expect(order).toEqual([]);
    first.giveBack();
    first.giveBack();
    await settled();
    expect(order).toEqual(['second']);
    (await second)?.giveBack();
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  it('ORD-6 spent ones return with the next window; until then those who wait and those who come are refused', async () => {
    const { permits, window } = permitsOf(2);
    const [one, other] = [await permits.take('a'), await permits.take('a')];
    const waiting = permits.take('a');
    one?.spend();
    other?.spend();
    expect(await waiting).toBeNull();
    expect(await permits.take('a')).toBeNull();
    window.end += 10_000;
    expect(await permits.take('a')).not.toBeNull();
  });

  it('ORD-6 nobody waits for more than ten seconds, and who has gone takes no turn', async () => {
    vi.useFakeTimers();
    const { permits } = permitsOf(1);
    const first = (await permits.take('a')) as OpeningPermit;
    const waiting = permits.take('a');
    await vi.advanceTimersByTimeAsync(10_100);
    expect(await waiting).toBeNull();
    first.giveBack();
    expect(await permits.take('a')).not.toBeNull();
  });

  it('ORD-6 under way and spent together never exceed the number, and everybody gets an answer', async () => {
    const step = fc.record({
      kind: fc.constantFrom('take', 'give back', 'spend', 'next window'),
      client: fc.constantFrom('a', 'b'),
      index: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (perClient, steps) => {
        const { permits, window } = permitsOf(perClient);
        const held = { a: [] as OpeningPermit[], b: [] as OpeningPermit[] };
        const spent = { a: 0, b: 0 };
        let unanswered = 0;
        for (const { kind, client, index } of steps) {
          const own = held[client as 'a' | 'b'];
          const permit = own[index % Math.max(1, own.length)];
          if (kind === 'next window') {
            window.end += 10_000;
            spent.a = 0;
            spent.b = 0;
          } else if (kind === 'take') {
            unanswered += 1;
            void Promise.resolve(permits.take(client)).then((taken) => {
              unanswered -= 1;
              if (taken !== null) own.push(taken);
            });
          } else if (permit !== undefined) {
            own.splice(own.indexOf(permit), 1);
            if (kind === 'spend') spent[client as 'a' | 'b'] += 1;
            permit[kind === 'spend' ? 'spend' : 'giveBack']();
          }
          await settled();
          for (const name of ['a', 'b'] as const) {
            // In a new window the spent ones are free again, while those under way stay.
            expect(held[name].length + spent[name]).toBeLessThanOrEqual(perClient);
          }
        }
        window.end += 10_000;
        for (let round = 0; round < 80; round += 1) {
          for (const permit of [...held.a.splice(0), ...held.b.splice(0)]) permit.giveBack();
          await settled();
        }
        expect(unanswered).toBe(0);
      }),
      { numRuns: cases(100) },
    );
  });
});
