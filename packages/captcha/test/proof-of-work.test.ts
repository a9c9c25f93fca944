import { createHook } from 'node:async_hooks';
import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { solve } from '../src/client/index.js';
import { CaptchaBusyError, type ProofOfWorkChallenge, type ProofOfWorkParameters } from '../src/index.js';
import { challengeOf, createVerifications, isProof } from '../src/proof-of-work/index.js';
import { CHEAP, captchaWorld } from './captcha-world.js';

const login = { kind: 'proof-of-work', purpose: 'login' } as const;
const kinds = ['proof-of-work'] as const;

/** What the reference tells authors of other clients, in other words than the source. */
function isRightByReadme({ key, challenge }: { key: string; challenge: ProofOfWorkChallenge }, proof: string): boolean {
  const { n, r, p, below, purpose } = challenge;
  return proof.split('.').every((counter, puzzle) => {
    const value = scryptSync(`${puzzle}.${counter}`, `${purpose}:${key}`, 4, { N: n, r, p, maxmem: 2 ** 28 });
    return value.readUInt32BE() < below;
  });
}

const challenge: ProofOfWorkChallenge = {
  algorithm: 'scrypt',
  purpose: 'login',
  n: 1024,
  r: 8,
  p: 1,
  puzzles: 3,
  below: 2 ** 32 / 4,
};

describe('the proof of work', () => {
  it('CAP-1 its challenge says memory, puzzles and bound, as the parameters want them', async () => {
    const { engine } = captchaWorld({ proofOfWork: { cost: 96, memoryMebibytes: 8 } });
    expect(await engine.issue(login)).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      kind: 'proof-of-work',
      expiresInSeconds: 120,
      challenge: { algorithm: 'scrypt', purpose: 'login', n: 8192, r: 8, p: 1, puzzles: 6, below: 2 ** 28 },
    });
  });

  it('CAP-1 a proof is what the reference says, and a vector of it stays right', async () => {
    const captcha = { key: 'AAAAAAAAAAAAAAAAAAAAAA', challenge };
    const proof = await solve(captcha);
    expect(proof).toBe('12.8.0');
    expect(isRightByReadme(captcha, proof)).toBe(true);
    expect(await isProof(challenge, captcha.key, proof)).toBe(true);
  });

  it('CAP-1 a proof is bound to its key and its purpose', async () => {
    const hard = { ...challenge, n: 16, below: 2 ** 32 / 16, puzzles: 2 };
    const proof = await solve({ key: 'A'.repeat(22), challenge: hard });
    expect(await isProof(hard, 'A'.repeat(22), proof)).toBe(true);
    expect(await isProof(hard, `${'A'.repeat(21)}B`, proof)).toBe(false);
    expect(await isProof({ ...hard, purpose: 'register' }, 'A'.repeat(22), proof)).toBe(false);
    const [first, second] = proof.split('.');
    if (first !== second) expect(await isProof(hard, 'A'.repeat(22), `${second}.${first}`)).toBe(false);
  });

  it('CAP-1 a proof of any other form is none', async () => {
    const easy = { ...challenge, puzzles: 2, below: 2 ** 32 };
    expect(await isProof(easy, 'k', '0.4294967295')).toBe(true);
    const wrong = [
      '',
      '0',
      '0.0.0',
      '0.',
      '.0',
      '00.1',
      '-1.0',
      '0.4294967296',
      '0. 1',
      '0.1\n',
      '1e1.0',
      'a.b',
      '٣.1',
    ];
    for (const proof of wrong) expect(await isProof(easy, 'k', proof)).toBe(false);
    const many = { ...challenge, puzzles: 100_000, below: 2 ** 32 };
    expect(await isProof(many, 'k', '0.'.repeat(99_999).concat('0'))).toBe(false);
  });

  it('CAP-1 a false proof costs one evaluation', async () => {
    const impossible = { ...challenge, n: 16, puzzles: 16, below: 1 };
    const guess = Array(16).fill('0').join('.');
    let evaluations = 0;
    const init = (_id: number, type: string) => {
      if (type === 'SCRYPTREQUEST') evaluations += 1;
    };
    const hook = createHook({ init }).enable();
    try {
      expect(await isProof(impossible, 'k', guess)).toBe(false);
      expect(evaluations).toBe(1);
      expect(await isProof({ ...impossible, below: 2 ** 32 }, 'k', guess)).toBe(true);
      expect(evaluations).toBe(1 + 16);
    } finally {
      hook.disable();
    }
  });

  it('CAP-1 an unknown key costs none', async () => {
    const { engine } = captchaWorld();
    // Memory beyond every bound: an evaluation would fail.
    const taken = { kind: 'proof-of-work', purpose: 'login', challenge: { ...challenge, n: 3 } };
    expect(await engine.redeem({ purpose: 'login', kinds, key: 'A'.repeat(22), proof: '0.0' })).toBe(false);
    const store = { set: async () => {}, take: async () => JSON.stringify(taken) };
    const other = captchaWorld({ store });
    const asked = { purpose: 'login', kinds, key: 'A'.repeat(22), proof: '0.0.0' };
    await expect(other.engine.redeem(asked)).rejects.toThrow();
    expect(await other.engine.redeem({ ...asked, purpose: 'register' })).toBe(false);
  });

  it('CAP-1 a captcha keeps the cost with which it was issued', async () => {
    let parameters: Partial<ProofOfWorkParameters> = CHEAP;
    const { engine } = captchaWorld({ proofOfWork: async () => parameters });
    const cheap = await engine.issue(login);
    parameters = { ...CHEAP, cost: 100_000 };
    expect((await engine.issue(login)).challenge?.below).toBeLessThan(100_000);
    const proof = await solve(cheap);
    expect(await engine.redeem({ purpose: 'login', kinds, key: cheap.key, proof })).toBe(true);
    parameters = { cost: 0 };
    await expect(engine.issue(login)).rejects.toMatchObject({ code: 'CAPTCHA_SETUP_INVALID' });
  });

  it('CAP-1 so many evaluations are needed as `cost` says, on average', async () => {
    const parameters = { cost: 12, puzzles: 3, memoryMebibytes: 1 };
    const counted = Array.from({ length: 25 }, async (_, i) => {
      let last = 0;
      // The keys are fixed, so that the outcome is. Memory has no part in how many are needed: it is the least.
      const captcha = { key: `key-${i}`, challenge: { ...challengeOf('login', parameters), n: 2 } };
      await solve(captcha, {
        onProgress(progress) {
          last = progress.evaluations;
        },
      });
      return last;
    });
    const evaluations = (await Promise.all(counted)).reduce((sum, each) => sum + each, 0);
    expect(evaluations / counted.length).toBeGreaterThan(10);
    expect(evaluations / counted.length).toBeLessThan(14);
  });
});

describe('many proofs at once', () => {
  it('CAP-1 are checked a few at a time, and beyond the waiting ones refused, with nothing used up', async () => {
    const { engine } = captchaWorld({ maxConcurrentProofs: 1, maxWaitingProofs: 2 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const captcha = await engine.issue(login);
        return { purpose: 'login', kinds, key: captcha.key, proof: await solve(captcha) };
      }),
    );
    const outcomes = await Promise.all(answers.map((each) => engine.redeem(each).catch((error: unknown) => error)));
    expect(outcomes.slice(0, 3)).toEqual([true, true, true]);
    for (const outcome of outcomes.slice(3)) {
      expect(outcome).toBeInstanceOf(CaptchaBusyError);
      expect(outcome).toMatchObject({ statusCode: 503, code: 'CAPTCHA_BUSY' });
    }
    for (const each of answers.slice(3)) expect(await engine.redeem(each)).toBe(true);
  });

  it('CAP-1 of one client leave places to the others', async () => {
    const { engine } = captchaWorld({ maxConcurrentProofs: 1, maxProofsForClient: 2 });
    const send = async (who: { clientIp?: string; client?: string }) => {
      const captcha = await engine.issue(login);
      return { purpose: 'login', kinds, key: captcha.key, proof: await solve(captcha), ...who };
    };
    const network = (address: number) => ({ clientIp: `2001:db8::${address}`, client: '2001:db8::/64' });
    const crowd = await Promise.all([1, 2, 3, 4].map((address) => send(network(address))));
    const others = [await send({ clientIp: '192.0.2.1' }), await send({ clientIp: '192.0.2.1' }), await send({})];
    const outcomes = await Promise.allSettled([...crowd, ...others].map((each) => engine.redeem(each)));
    const statuses = outcomes.map(({ status }) => (status === 'fulfilled' ? 'checked' : 'refused'));
    expect(statuses).toEqual(['checked', 'checked', 'refused', 'refused', 'checked', 'checked', 'checked']);
    for (const each of crowd.slice(2)) expect(await engine.redeem(each)).toBe(true);
  });

  it('CAP-1 of one address are bounded without its key, and free their places for an unknown captcha', async () => {
    const { engine } = captchaWorld({ maxProofsForClient: 1 });
    const unknown = { purpose: 'login', kinds, key: 'A'.repeat(22), proof: '1.1', clientIp: '192.0.2.1' };
    const outcomes = await Promise.allSettled([engine.redeem(unknown), engine.redeem(unknown)]);
    expect(outcomes).toMatchObject([{ value: false }, { reason: { code: 'CAPTCHA_BUSY', statusCode: 503 } }]);
    expect(await engine.redeem(unknown)).toBe(false);
  });

  it('CAP-1 hand their places over, also where a check fails', async () => {
    const verifications = createVerifications({ maxConcurrent: 2, maxWaiting: 10, maxForClient: 12 });
    const bad = { ...challenge, n: 3, puzzles: 1 };
    const good = { ...challenge, puzzles: 1, below: 2 ** 32 };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        verifications.admit('client', (check) => check(i % 2 === 0 ? bad : good, 'k', '0')),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(outcomes.map((_, i) => i % 2 === 1));
    expect(await verifications.admit('client', (check) => check(good, 'k', '0'))).toBe(true);
  });
});
