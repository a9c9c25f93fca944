import { describe, expect, it } from 'vitest';
import { hmacSm3, sm2Decrypt, sm3, sm4 } from '../../src/gm/index.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { type GmPrimitives, runSelfTest, SelfTestFailedError } from '../../src/suites/self-test.js';
import { withBitFlipped } from '../vector-files.js';

const primitives: GmPrimitives = { sm3, hmacSm3, sm2Decrypt, sm4 };
const flipped = (bytes: Uint8Array) => withBitFlipped(bytes, 8 * bytes.length - 1);

function failuresOf(suite: Partial<EnvelopeSuite>, broken: Partial<GmPrimitives> = {}): string {
  try {
    runSelfTest({ ...sm2Sm4GcmV1, ...suite }, { ...primitives, ...broken });
  } catch (error) {
    expect(error).toBeInstanceOf(SelfTestFailedError);
    return (error as SelfTestFailedError).failures.join('; ');
  }
  return '';
}

describe('the self-test at start', () => {
  it('ENV-6 passes with the portable suite', () => {
    expect(() => runSelfTest()).not.toThrow();
    expect(failuresOf({})).toBe('');
  });

  it('ENV-6 finds every operation of a suite that is wrong by one bit', () => {
    const { publicKeyOf, wrapBaseKey, unwrapBaseKey, deriveKeys, sealMessage, openMessage, hashToken } = sm2Sm4GcmV1;
    expect(failuresOf({ publicKeyOf: (d) => flipped(publicKeyOf(d)) })).toContain('public key of a private key');
    expect(failuresOf({ wrapBaseKey: (...args) => flipped(wrapBaseKey(...args)) })).toContain(
      'wrapping and unwrapping',
    );
    expect(failuresOf({ unwrapBaseKey: (d, ek) => flipped(unwrapBaseKey(d, ek) ?? new Uint8Array(16)) })).toContain(
      'refusal of a changed wrapped key',
    );
    expect(failuresOf({ sealMessage: (...args) => flipped(sealMessage(...args)) })).toContain('SM4-GCM sealing');
    expect(failuresOf({ openMessage: (...args) => flipped(openMessage(...args) ?? new Uint8Array(16)) })).toContain(
      'SM4-GCM opening',
    );
    expect(failuresOf({ hashToken: (token) => flipped(hashToken(token)) })).toContain('hash of a token');
    const swapped = (keys: ReturnType<typeof deriveKeys>) => ({
      requestKey: keys.responseKey,
      responseKey: keys.requestKey,
    });
    expect(failuresOf({ deriveKeys: (...args) => swapped(deriveKeys(...args)) })).toContain('derived keys');
  });

  it('ENV-6 finds a suite that checks nothing: that wraps in the clear, opens any tag, unwraps anything', () => {
    const inTheClear: Partial<EnvelopeSuite> = {
      wrapBaseKey: (_publicKey, baseKey) => Uint8Array.of(...new Uint8Array(97), ...baseKey),
      unwrapBaseKey: (_privateKey, ek) => ek.slice(97),
    };
    expect(failuresOf(inTheClear)).toContain('wrapping and unwrapping (GB/T 32918.5-2017, Annex C)');
    const { openMessage, sealMessage } = sm2Sm4GcmV1;
    const openAny: EnvelopeSuite['openMessage'] = (key, iv, aad, ct) =>
      openMessage(key, iv, aad, ct) ?? sealMessage(key, iv, aad, ct.slice(0, -16)).slice(0, -16);
    expect(failuresOf({ openMessage: openAny })).toBe('SM4-GCM refusal of a wrong tag');
  });

  it('ENV-6 finds a suite that throws, and names all that fails at once', () => {
    const broken = () => {
      throw new Error('unreachable');
    };
    const failures = failuresOf({ sealMessage: broken, unwrapBaseKey: broken });
    expect(failures).toContain('SM4-GCM sealing');
    expect(failures).toContain('wrapping and unwrapping');
  });

  it('ENV-6 finds every primitive that is wrong by one bit', () => {
    expect(failuresOf({}, { sm3: (message) => flipped(sm3(message)) })).toContain('SM3 of "abc"');
    expect(failuresOf({}, { hmacSm3: (...args) => flipped(hmacSm3(...args)) })).toBe('HMAC-SM3 (GM/T 0042-2015, D.3)');
    expect(failuresOf({}, { sm2Decrypt: (...args) => flipped(sm2Decrypt(...args)) })).toContain('SM2 decryption');
    const brokenSm4 = {
      sm4: (key: Uint8Array) => ({ encryptBlock: (block: Uint8Array) => flipped(sm4(key).encryptBlock(block)) }),
    };
    expect(failuresOf({}, brokenSm4)).toBe('SM4 block (GB/T 32907-2016, A.1)');
  });
});
