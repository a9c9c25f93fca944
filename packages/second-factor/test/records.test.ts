import { describe, expect, it } from 'vitest';
import { createMemoryFactorRecords, type FactorRecords } from '../src/index.js';
import { testFactors } from './factor-bench.js';

describe('records', () => {
  it.each([
    ['undefined from replace', { replace: async () => undefined }, 'true or false'],
    ['a count from replace', { replace: async () => 1 }, 'true or false'],
    ['a text from read', { read: async () => '{"version":"1"}' }, 'the object that replace was given'],
    ['undefined from read', { read: async () => undefined }, 'the object that replace was given'],
    ['another object from read', { read: async () => ({ version: 1 }) }, 'the object that replace was given'],
    ['a conflict without end', { replace: async () => false }, '64 times in a row'],
  ])('MFA-1: %s is refused with 503, and nothing is accepted', async (_what, broken, cause) => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    const records = { ...bench.records, ...broken } as unknown as FactorRecords;
    const proof = { principal, code: codeAt(bench.now()) };
    await expect(bench.another({ records }).verifyTotp(proof)).rejects.toMatchObject({
      code: 'SECOND_FACTOR_UNAVAILABLE',
      statusCode: 503,
      cause: { message: expect.stringContaining(cause) },
    });
  });

  it('MFA-1: in memory are bounded, and compare the version', async () => {
    const records = createMemoryFactorRecords({ maxAccounts: 1 });
    const { factors } = testFactors({ records });
    await factors.reset('ada');
    await expect(factors.reset('bob')).rejects.toMatchObject({ code: 'SECOND_FACTOR_UNAVAILABLE' });
    const found = (await records.read('ada'))!;
    expect(await records.replace('ada', null, found)).toBe(false);
    expect(await records.replace('ada', 'other', found)).toBe(false);
    expect(await records.replace('ada', found.version, { ...found, version: 'next' })).toBe(true);
  });

  it('MFA-1: every change has another version, so that a version never returns', async () => {
    const { factors, read } = testFactors();
    const versions = new Set<string>();
    for (let change = 0; change < 5; change += 1) {
      await factors.reset('ada');
      versions.add((await read('ada')).version);
    }
    expect(versions.size).toBe(5);
  });

  it('MFA-1: a listener that fails is logged, and the refusal stands', async () => {
    const logged: object[] = [];
    const { factors } = testFactors({
      onEvent: () => Promise.reject(new Error('away')),
      log: { error: (details) => void logged.push(details) },
    });
    expect(await factors.verifyTotp({ principal: 'ada', code: '000000' })).toBeNull();
    expect(logged).toEqual([{ err: new Error('away') }]);
  });
});

describe('arguments', () => {
  it.each([
    ['a misspelt member', { principal: 'ada', cod: '1' }, 'did you mean code?'],
    ['no principal', { code: '1' }, 'principal is required'],
    ['a number as principal', { principal: 7, code: '1' }, 'principal must be the id of the account'],
    ['an empty principal', { principal: '', code: '1' }, 'principal must be'],
    ['half a letter', { principal: '\ud800', code: '1' }, 'principal must be'],
  ])('MFA-1: %s is a TypeError', async (_what, given, message) => {
    const { factors } = testFactors();
    for (const verify of [factors.verifyTotp, factors.verifyRecoveryCode]) {
      await expect(verify(given as never)).rejects.toThrow(TypeError);
      await expect(verify(given as never)).rejects.toThrow(message);
    }
  });

  it('MFA-1: list, reset and reencrypt take an account', async () => {
    const { factors } = testFactors();
    for (const call of [factors.list, factors.reset, factors.reencrypt]) {
      await expect(call({ principal: 'ada' } as never)).rejects.toThrow(TypeError);
    }
  });
});
