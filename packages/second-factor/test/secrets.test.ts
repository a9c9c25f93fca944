import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import {
  createMemoryFactorRecords,
  createSecondFactors,
  type FactorRecord,
  SecondFactorSetupError,
  type SecondFactorsOptions,
} from '../src/index.js';
import { createSecretBox } from '../src/keys/secret-box.js';
import { authenticatorOf, freshPrincipal, fromBase32, KEY, testFactors } from './factor-bench.js';

const NEXT = { id: 'k2', secret: randomBytes(32) };
const unavailable = { code: 'SECOND_FACTOR_UNAVAILABLE', statusCode: 503 };

function faultsOf(more: Partial<Record<keyof SecondFactorsOptions, unknown>>): readonly string[] {
  const right = { store: createMemoryStore(), records: createMemoryFactorRecords(), key: KEY, issuer: 'Shop' };
  try {
    createSecondFactors({ ...right, ...more } as SecondFactorsOptions);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SecondFactorSetupError);
    return (error as SecondFactorSetupError).faults;
  }
}

describe('the key', () => {
  it('MFA-1: that is missing, short, no random bytes or twice there refuses the start and is named', () => {
    expect(faultsOf({ key: undefined })).toEqual([expect.stringMatching(/^key is required/)]);
    for (const secret of [randomBytes(31), randomBytes(33), Buffer.alloc(32), 'x'.repeat(32), undefined]) {
      expect(faultsOf({ key: { id: 'k1', secret } })).toEqual([expect.stringMatching(/^key\.secret /)]);
    }
    expect(faultsOf({ key: { id: 'a:b', secret: KEY.secret } })).toEqual([expect.stringMatching(/^key\.id /)]);
    expect(faultsOf({ previousKeys: [{ id: 'k0' }] })).toEqual([expect.stringMatching(/^previousKeys\[0\]\.secret /)]);
    expect(faultsOf({ previousKeys: [{ ...NEXT, id: 'k1' }] })).toEqual([
      'key and previousKeys must have different ids',
    ]);
  });

  it('MFA-1: that is another one under the same id refuses the start, and seals nothing', async () => {
    const bench = testFactors();
    await bench.factors.assertKeys();
    const wrong = bench.another({ key: { id: 'k1', secret: randomBytes(32) } });
    const fault = 'createSecondFactors: key: another secret was used under this id';
    await expect(wrong.assertKeys()).rejects.toThrow(SecondFactorSetupError);
    await expect(wrong.assertKeys()).rejects.toThrow(fault);
    await expect(wrong.beginTotp({ principal: 'ada', account: 'ada' })).rejects.toThrow(fault);
    const previousKeys = [{ id: 'k1', secret: randomBytes(32) }];
    await expect(bench.another({ key: NEXT, previousKeys }).assertKeys()).rejects.toThrow('previousKeys[0]: another');
    await bench.another({ key: NEXT, previousKeys: [KEY] }).assertKeys();
    await bench.factors.assertKeys();
  });

  it('MFA-1: that is wrong or gone accepts no code: 503, and the cause says which', async () => {
    const bench = testFactors();
    const { principal, codeAt } = await bench.enrolled();
    const proof = { principal, code: codeAt(bench.now()) };
    const gone = bench.another({ key: NEXT }).verifyTotp(proof);
    await expect(gone).rejects.toMatchObject({
      ...unavailable,
      cause: { message: expect.stringContaining('previousKeys') },
    });
    const wrong = bench.another({ key: { id: 'k1', secret: randomBytes(32) } }).verifyTotp(proof);
    await expect(wrong).rejects.toMatchObject({
      ...unavailable,
      cause: { message: expect.stringContaining('another') },
    });
    expect(await bench.factors.verifyTotp(proof)).not.toBeNull();
  });

  it('MFA-1: of before decrypts, a use encrypts with the present one, and reencrypt does so for the others', async () => {
    const bench = testFactors();
    const used = await bench.enrolled();
    const idle = await bench.enrolled();
    const rotated = bench.another({ key: NEXT, previousKeys: [KEY] });
    expect(rotated.needsReencryption(await bench.read(used.principal))).toBe(true);
    expect(bench.factors.needsReencryption(await bench.read(used.principal))).toBe(false);
    const { principal } = used;
    expect(await rotated.verifyTotp({ principal, code: used.codeAt(bench.now()) })).not.toBeNull();
    expect(rotated.needsReencryption(await bench.read(used.principal))).toBe(false);
    expect(await rotated.reencrypt(used.principal)).toBe(false);
    expect(await rotated.reencrypt(idle.principal)).toBe(true);
    expect(await rotated.reencrypt('nobody')).toBe(false);
    const alone = bench.another({ key: NEXT });
    bench.pass(30);
    for (const each of [used, idle]) {
      const proof = { principal: each.principal, code: each.codeAt(bench.now()) };
      expect(await alone.verifyTotp(proof)).not.toBeNull();
    }
  });
});

describe('a secret at rest', () => {
  const owner = { principal: 'ada', factorId: 'f1' };

  it('MFA-1: shows nothing in the record and in the store', async () => {
    const bench = testFactors();
    const principal = freshPrincipal();
    const seen: string[] = [];
    const store = {
      ...bench.store,
      set: (...given: Parameters<typeof bench.store.set>) => {
        seen.push(...given.map(String));
        return bench.store.set(...given);
      },
    };
    const node = bench.another({ store });
    const { id, secret } = await node.beginTotp({ principal, account: 'ada' });
    await node.confirmTotp({ principal, id, code: authenticatorOf(secret)(bench.now()) });
    const bytes = fromBase32(secret);
    const kept = [...seen, JSON.stringify(await bench.read(principal))].join('\n');
    for (const form of [secret, bytes.toString('base64url'), bytes.toString('hex')]) expect(kept).not.toContain(form);
    expect(seen).toHaveLength(3);
  });

  it('MFA-1: that was moved to another account or factor, or changed, is refused', async () => {
    const box = createSecretBox(KEY, []);
    const sealed = box.seal(randomBytes(20), owner);
    expect(box.open(sealed, owner)).toHaveLength(20);
    const [, , text = ''] = sealed.split(':');
    const flipped = Buffer.from(text, 'base64url');
    flipped[14]! ^= 1;
    const broken = [
      [sealed, { ...owner, principal: 'bob' }],
      [sealed, { ...owner, factorId: 'f2' }],
      [`v1:k1:${flipped.toString('base64url')}`, owner],
      [`v1:k1:${text.slice(0, 20)}`, owner],
      [`v2:k1:${text}`, owner],
      ['', owner],
    ] as const;
    for (const [moved, of] of broken) expect(() => box.open(moved, of)).toThrow(expect.objectContaining(unavailable));
  });

  it('MFA-1: that an account copied from another one proves nothing', async () => {
    const bench = testFactors();
    const attacker = await bench.enrolled();
    const victim = await bench.enrolled();
    const { version, ...of } = await bench.read(victim.principal);
    const { totp } = await bench.read(attacker.principal);
    const moved: FactorRecord = { ...of, version, totp };
    await bench.records.replace(victim.principal, version, moved);
    const proof = { principal: victim.principal, code: attacker.codeAt(bench.now()) };
    await expect(bench.factors.verifyTotp(proof)).rejects.toMatchObject(unavailable);
  });
});
