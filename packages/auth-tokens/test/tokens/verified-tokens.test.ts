import { describe, expect, it, vi } from 'vitest';
import { rememberVerified } from '../../src/tokens/verified-tokens.js';

describe('tokens whose signature was verified', () => {
  it('TOK-2 are not verified again once they have come twice, and every other text anew', () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const remembered = rememberVerified(verify);
    for (const token of ['a.b.c', 'a.b.c', 'a.b.c', 'a.b.d', 'a.b.c'])
      expect(remembered(token)).toEqual({ sub: token });
    expect(verify.mock.calls).toEqual([['a.b.c'], ['a.b.c'], ['a.b.d']]);
  });

  it("TOK-2 REL-11 those that come once take nobody else's place", () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const remembered = rememberVerified(verify);
    for (let i = 0; i < 2; i += 1) remembered('used twice');
    for (let i = 0; i < 20_000; i += 1) remembered(`used once ${i}`);
    const before = verify.mock.calls.length;
    remembered('used twice');
    expect(verify).toHaveBeenCalledTimes(before);
  });

  it('TOK-2 a refusal is never remembered', () => {
    const verify = vi.fn(() => {
      throw new Error('refused');
    });
    const remembered = rememberVerified(verify);
    for (let i = 0; i < 2; i += 1) expect(() => remembered('a.b.c')).toThrow('refused');
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('TOK-2 nobody can change what others will read of a token', () => {
    const remembered = rememberVerified(() => ({ sub: 'u-1' }));
    expect(Object.isFrozen(remembered('a.b.c'))).toBe(true);
  });

  it('TOK-2 one that is used stays remembered, and one that is not gives way: memory is bounded', () => {
    const verify = vi.fn((token: string) => ({ sub: token }));
    const remembered = rememberVerified(verify);
    for (let i = 0; i < 2; i += 1) remembered('quiet');
    for (let i = 0; i < 20_000; i += 1) {
      for (let time = 0; time < 2; time += 1) remembered(`other-${i}`);
      if (i % 1000 === 0) remembered('busy');
    }
    const before = verify.mock.calls.length;
    remembered('busy');
    expect(verify).toHaveBeenCalledTimes(before);
    remembered('quiet');
    expect(verify).toHaveBeenCalledTimes(before + 1);
  });
});
