import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { stepAt } from '../src/codes/totp.js';
import { createMemoryFactorRecords } from '../src/index.js';
import { authenticatorOf, other, testFactors } from './factor-bench.js';

describe('a code', () => {
  it('MFA-1: is accepted once, and the code that confirmed the enrolment never again', async () => {
    const { factors, now, pass, reasons } = testFactors();
    const principal = 'ada';
    const { id, secret, uri, expiresAt } = await factors.beginTotp({ principal, account: 'ada@example.com' });
    expect(uri).toContain(`secret=${secret}`);
    expect(expiresAt).toBe(now() + 600_000);
    expect(await factors.verifyTotp({ principal, code: '000000' })).toBeNull();
    const code = authenticatorOf(secret)(now());
    expect(await factors.confirmTotp({ principal, id, code: other(code) })).toBeNull();
    expect(await factors.confirmTotp({ principal, id, code })).toEqual({ factorId: id, kind: 'totp' });
    expect(await factors.confirmTotp({ principal, id, code })).toBeNull();
    expect(await factors.verifyTotp({ principal, code })).toBeNull();
    expect(reasons()).toEqual(['not-enrolled', 'wrong', 'expired', 'used']);
    pass(30);
    const next = authenticatorOf(secret)(now());
    expect(await factors.verifyTotp({ principal, code: next })).toEqual({ factorId: id, kind: 'totp' });
    expect(await factors.verifyTotp({ principal, code: next })).toBeNull();
    expect(reasons()).toEqual(['used']);
  });

  it('MFA-1: of an earlier step is refused after a later one', async () => {
    const { factors, now, enrolled, reasons } = testFactors();
    const { principal, codeAt } = await enrolled();
    expect(await factors.verifyTotp({ principal, code: codeAt(now() + 30_000) })).not.toBeNull();
    for (const earlier of [0, -30_000]) {
      expect(await factors.verifyTotp({ principal, code: codeAt(now() + earlier) })).toBeNull();
    }
    expect(reasons()).toEqual(['used', 'used']);
  });

  it('MFA-1: stays used after the store has lost everything', async () => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    const code = codeAt(bench.now());
    expect(await bench.factors.verifyTotp({ principal, code })).not.toBeNull();
    const emptied = bench.another({ store: createMemoryStore({ now: bench.now }) });
    expect(await emptied.verifyTotp({ principal, code })).toBeNull();
    expect(bench.reasons()).toEqual(['used']);
  });

  it('MFA-1: stays used after its record was restored from a backup', async () => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    const backup = await bench.read(principal);
    const code = codeAt(bench.now());
    expect(await bench.factors.verifyTotp({ principal, code })).not.toBeNull();
    const restored = createMemoryFactorRecords();
    await restored.replace(principal, null, backup);
    expect(await bench.another({ records: restored }).verifyTotp({ principal, code })).toBeNull();
  });

  it('MFA-1: is judged by the factor that is there when it is used, not by the one that was read', async () => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    // Between the read and the write the account is reset: the write must not succeed.
    const racing = {
      ...bench.records,
      async read(of: string) {
        const record = await bench.records.read(of);
        racing.read = bench.records.read.bind(bench.records) as typeof racing.read;
        await bench.factors.reset(of);
        return record;
      },
    };
    expect(await bench.another({ records: racing }).verifyTotp({ principal, code: codeAt(bench.now()) })).toBeNull();
    expect(bench.reasons()).toEqual(['not-enrolled']);
    expect((await bench.read(principal)).totp).toBeNull();
  });

  it('MFA-1: whose use could not be recorded is not accepted', async () => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    const failing = { ...bench.records, replace: () => Promise.reject(new Error('away')) };
    const node = bench.another({ records: failing });
    await expect(node.verifyTotp({ principal, code: codeAt(bench.now()) })).rejects.toThrow('away');
    const store = { ...bench.store, setIfAbsent: () => Promise.reject(new Error('no store')) };
    await expect(bench.another({ store }).verifyTotp({ principal, code: codeAt(bench.now()) })).rejects.toThrow(
      'no store',
    );
  });
});

describe('clocks', () => {
  /** A use at a time of the server, of a code that the app shows at a time of its own, on one of two nodes. */
  const use = fc.record({
    move: fc.integer({ min: -90, max: 120 }),
    appSkew: fc.integer({ min: -80, max: 80 }),
    node: fc.boolean(),
    nodeSkew: fc.integer({ min: -20, max: 20 }),
  });

  it('MFA-1: whatever the clocks do, accepted steps grow, are within the window, and none is accepted twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(use, { minLength: 2, maxLength: 20 }), async (uses) => {
        const bench = testFactors();
        const { principal, codeAt } = await bench.enrolled();
        let skew = 0;
        const second = bench.another({ now: () => bench.now() + skew * 1000 });
        let last = (await bench.read(principal)).totp!.lastUsedStep;
        for (const { move, appSkew, node, nodeSkew } of uses) {
          bench.pass(move); // negative: the clock goes back
          skew = nodeSkew;
          const time = bench.now() + (node ? skew * 1000 : 0);
          const shownAt = bench.now() + appSkew * 1000;
          const code = codeAt(shownAt);
          // Two steps have the same code in one of a million.
          const step = [30_000, 0, -30_000].map((away) => time + away).find((at) => codeAt(at) === code);
          const proven = await (node ? second : bench.factors).verifyTotp({ principal, code });
          const isRight = step !== undefined && stepAt(step) > last;
          expect(proven !== null).toBe(isRight);
          if (isRight) last = stepAt(step);
          expect((await bench.read(principal)).totp!.lastUsedStep).toBe(last);
        }
      }),
      { numRuns: cases(400) },
    );
  });

  it('MFA-1: a clock that goes back brings no code back', async () => {
    const { factors, now, pass, enrolled } = testFactors();
    const { principal, codeAt } = await enrolled();
    const codes = [];
    for (let step = 0; step < 5; step += 1) {
      codes.push(codeAt(now()));
      expect(await factors.verifyTotp({ principal, code: codes.at(-1)! })).not.toBeNull();
      pass(30);
    }
    pass(-180);
    for (const code of codes) {
      expect(await factors.verifyTotp({ principal, code })).toBeNull();
      pass(30);
    }
  });
});
