import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { createRecoveryCode, hashRecoveryCode, readRecoveryCode } from '../src/codes/recovery-codes.js';
import { authenticatorOf, freshPrincipal, testFactors } from './factor-bench.js';

describe('recovery codes', () => {
  it('MFA-1: are ten of 120 bits, are kept as hashes, and each is accepted once, in every way to type it', async () => {
    const { factors, enrolled, read, reasons } = testFactors();
    const { principal } = await enrolled();
    const codes = await factors.createRecoveryCodes({ principal });
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    const kept = JSON.stringify(await read(principal));
    for (const code of codes) expect(kept).not.toContain(code);
    const [first = '', second = ''] = codes;
    const proven = await factors.verifyRecoveryCode({ principal, code: first });
    expect(proven).toMatchObject({ kind: 'recovery-code', codesLeft: 9 });
    expect(await factors.verifyRecoveryCode({ principal, code: first })).toBeNull();
    const typed = ` ${second.replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l').toLowerCase()} `;
    expect(await factors.verifyRecoveryCode({ principal, code: typed })).toMatchObject({ codesLeft: 8 });
    expect(reasons()).toEqual(['wrong']);
  });

  it('MFA-1: of before end with new ones, and those of another account are wrong', async () => {
    const { factors, enrolled, reasons } = testFactors();
    const [ada, bob] = [await enrolled(), await enrolled()];
    const [old = ''] = await factors.createRecoveryCodes({ principal: ada.principal });
    const [code = ''] = await factors.createRecoveryCodes({ principal: ada.principal });
    await factors.createRecoveryCodes({ principal: bob.principal });
    expect(await factors.verifyRecoveryCode({ principal: ada.principal, code: old })).toBeNull();
    expect(await factors.verifyRecoveryCode({ principal: bob.principal, code })).toBeNull();
    expect(await factors.verifyRecoveryCode({ principal: ada.principal, code })).not.toBeNull();
    for (const given of [Number.NaN, null, {}, [code], '', 'x'.repeat(1000)] as unknown as string[]) {
      expect(await factors.verifyRecoveryCode({ principal: ada.principal, code: given })).toBeNull();
    }
    expect(await factors.verifyRecoveryCode({ principal: 'nobody', code })).toBeNull();
    expect(new Set(reasons())).toEqual(new Set(['wrong', 'not-enrolled']));
  });

  it('MFA-1: need a factor, and go with the last one', async () => {
    const { factors, enrolled, read } = testFactors();
    const refusal = { code: 'SECOND_FACTOR_NOT_ENROLLED', statusCode: 409 };
    await expect(factors.createRecoveryCodes({ principal: freshPrincipal() })).rejects.toMatchObject(refusal);
    const { principal, id } = await enrolled();
    await factors.createRecoveryCodes({ principal });
    expect((await factors.list(principal)).map(({ kind, codesLeft }) => [kind, codesLeft])).toEqual([
      ['totp', undefined],
      ['recovery-code', 10],
    ]);
    expect(await factors.remove({ principal, id: 'other' })).toBe(false);
    expect(await factors.remove({ principal, id })).toBe(true);
    expect(await factors.remove({ principal, id })).toBe(false);
    expect(await read(principal)).toMatchObject({ totp: null, recoveryCodes: null });
  });

  it('MFA-1: of 16 letters, which earlier builds made, are accepted, once', async () => {
    const { factors, enrolled, records, read, reasons } = testFactors();
    const { principal } = await enrolled();
    await factors.createRecoveryCodes({ principal });
    const record = await read(principal);
    const code = '7Q2M-0KXA-93TD-WJ5E';
    const hashes = [hashRecoveryCode(principal, code), ...record.recoveryCodes!.hashes];
    const earlier = { ...record, recoveryCodes: { ...record.recoveryCodes!, hashes } };
    expect(await records.replace(principal, record.version, earlier)).toBe(true);
    expect(await factors.verifyRecoveryCode({ principal, code })).toMatchObject({ codesLeft: 10 });
    expect(await factors.verifyRecoveryCode({ principal, code })).toBeNull();
    expect(reasons()).toEqual(['wrong']);
  });

  it('MFA-1: are read as they were made', () => {
    fc.assert(
      fc.property(fc.constant(null), () => {
        const code = createRecoveryCode();
        expect(readRecoveryCode(code)).toBe(code);
      }),
      { numRuns: cases(200) },
    );
    const code = '7Q2M-0KXA-93TD-WJ5E-C8RV-1HNF';
    for (const letters of [15, 16, 17, 20, 23, 24]) {
      const typed = code.replaceAll('-', '').slice(0, letters);
      expect(readRecoveryCode(typed) === null, typed).toBe(letters !== 16 && letters !== 24);
    }
    for (const typed of [code.replace('F', 'U'), `${code}E`, code.replace('-', '_')]) {
      expect(readRecoveryCode(typed)).toBeNull();
    }
  });
});

describe('a reset', () => {
  it('MFA-1: ends every factor, and every enrolment that began before', async () => {
    const { factors, now, enrolled, reasons } = testFactors();
    const { principal, codeAt } = await enrolled();
    const [code = ''] = await factors.createRecoveryCodes({ principal });
    const begun = await factors.beginTotp({ principal, account: 'ada' });
    await factors.reset(principal);
    expect(await factors.list(principal)).toEqual([]);
    expect(await factors.verifyTotp({ principal, code: codeAt(now()) })).toBeNull();
    expect(await factors.verifyRecoveryCode({ principal, code })).toBeNull();
    const late = { principal, id: begun.id, code: authenticatorOf(begun.secret)(now()) };
    expect(await factors.confirmTotp(late)).toBeNull();
    expect(reasons()).toEqual(['not-enrolled', 'not-enrolled', 'expired']);
    const again = await factors.beginTotp({ principal, account: 'ada', name: 'phone' });
    const right = { principal, id: again.id, code: authenticatorOf(again.secret)(now()) };
    expect(await factors.confirmTotp({ ...right, principal: 'bob' })).toBeNull();
    expect(await factors.confirmTotp(right)).not.toBeNull();
    expect(await factors.list(principal)).toMatchObject([{ kind: 'totp', name: 'phone', createdAt: now() }]);
  });

  it('MFA-1: an enrolment expires', async () => {
    const { factors, now, pass, reasons } = testFactors({ enrolmentSeconds: 60 });
    const { id, secret } = await factors.beginTotp({ principal: 'ada', account: 'ada' });
    pass(60);
    expect(await factors.confirmTotp({ principal: 'ada', id, code: authenticatorOf(secret)(now()) })).toBeNull();
    expect(reasons()).toEqual(['expired']);
  });
});
