import { describe, expect, it, vi } from 'vitest';
import { memoizeVerifier } from '../../src/tokens/verified-tokens.js';

describe('verified tokens', () => {
  it('TOK-2 are not verified again from the third use on; every other text is', () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const verifyOnce = memoizeVerifier(verify);
    for (const token of ['a.b.c', 'a.b.c', 'a.b.c', 'a.b.d', 'a.b.c'])
      expect(verifyOnce(token)).toEqual({ sub: token });
    expect(verify.mock.calls).toEqual([['a.b.c'], ['a.b.c'], ['a.b.d']]);
  });

  it('TOK-2 REL-11 that are used once displace no others', () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const verifyOnce = memoizeVerifier(verify);
    for (let i = 0; i < 2; i += 1) verifyOnce('used twice');
    for (let i = 0; i < 20_000; i += 1) verifyOnce(`used once ${i}`);
    const before = verify.mock.calls.length;
    verifyOnce('used twice');
    expect(verify).toHaveBeenCalledTimes(before);
  });

  it('TOK-2 are never cached refusals', () => {
    const verify = vi.fn(() => {
      throw new Error('refused');
    });
    const verifyOnce = memoizeVerifier(verify);
    for (let i = 0; i < 2; i += 1) expect(() => verifyOnce('a.b.c')).toThrow('refused');
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('TOK-2 have frozen content', () => {
    const verifyOnce = memoizeVerifier(() => ({ sub: 'u-1' }));
    expect(Object.isFrozen(verifyOnce('a.b.c'))).toBe(true);
  });

  it('TOK-2 are bounded in number: the ones used last are kept', () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const verifyOnce = memoizeVerifier(verify);
    for (let i = 0; i < 2; i += 1) verifyOnce('quiet');
    for (let i = 0; i < 20_000; i += 1) {
      for (let time = 0; time < 2; time += 1) verifyOnce(`other-${i}`);
      if (i % 1000 === 0) verifyOnce('busy');
    }
    const before = verify.mock.calls.length;
    verifyOnce('busy');
    expect(verify).toHaveBeenCalledTimes(before);
    verifyOnce('quiet');
    expect(verify).toHaveBeenCalledTimes(before + 1);
  });
});
