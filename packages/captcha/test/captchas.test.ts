import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { type OpenedStore, stores } from '../../../scripts/test-stores.js';
import { type CaptchaKind, createCaptchas } from '../src/index.js';
import { answer, captchaWorld, KINDS } from './captcha-world.js';

describe.each(KINDS)('a captcha of kind %s', (kind) => {
  it('CAP-1 ADM-1 opens its purpose once', async () => {
    const { engine } = captchaWorld();
    const right = await answer(engine, kind);
    expect(await engine.redeem(right)).toBe(true);
    expect(await engine.redeem(right)).toBe(false);
  });

  it('CAP-1 LP-29 is used up by a wrong answer', async () => {
    const { engine } = captchaWorld();
    const nothing = { code: undefined, proof: undefined };
    for (const wrong of [{ code: 'WRONG', proof: 'wrong' }, { code: '', proof: '' }, nothing]) {
      const right = await answer(engine, kind);
      expect(await engine.redeem({ ...right, ...wrong })).toBe(false);
      expect(await engine.redeem(right)).toBe(false);
    }
  });

  it('CAP-1 opens no other purpose, and is used up by the attempt', async () => {
    const { engine } = captchaWorld();
    const right = await answer(engine, kind);
    expect(await engine.redeem({ ...right, purpose: 'register' })).toBe(false);
    expect(await engine.redeem(right)).toBe(false);
  });

  it('CAP-1 opens nothing for which its kind does not suffice when it is answered', async () => {
    const { engine } = captchaWorld();
    const others = KINDS.filter((other) => other !== kind);
    expect(await engine.redeem({ ...(await answer(engine, kind)), kinds: others })).toBe(false);
    expect(await engine.redeem({ ...(await answer(engine, kind)), kinds: KINDS })).toBe(true);
  });

  it('CAP-1 LP-31 expires after 120 s', async () => {
    const { engine, clock } = captchaWorld();
    const [early, late] = [await answer(engine, kind), await answer(engine, kind)];
    clock.time += 119_999;
    expect(await engine.redeem(early)).toBe(true);
    clock.time += 1;
    expect(await engine.redeem(late)).toBe(false);
  });
});

describe('captchas', () => {
  it('CAP-1 both answers of `both` are needed', async () => {
    const { engine } = captchaWorld();
    const right = () => answer(engine, 'both');
    expect(await engine.redeem({ ...(await right()), code: 'WRONG' })).toBe(false);
    expect(await engine.redeem({ ...(await right()), proof: '1' })).toBe(false);
    expect(await engine.redeem({ ...(await right()), proof: undefined })).toBe(false);
    expect(await engine.redeem(await right())).toBe(true);
  });

  it('CAP-1 a kind or purpose that a client chose wrong is its mistake: 400', async () => {
    const { engine } = captchaWorld();
    const refusal = { name: 'CaptchaRequestRefusedError', code: 'CAPTCHA_REQUEST_REFUSED', statusCode: 400 };
    const right = await answer(engine, 'image');
    const wrong = [undefined, null, '', 'Log in', 7, ['image', 'image'], {}, '__proto__'] as unknown as 'image'[];
    for (const given of wrong) {
      await expect(engine.issue({ kind: given, purpose: 'login' })).rejects.toMatchObject(refusal);
      await expect(engine.issue({ kind: 'image', purpose: given })).rejects.toMatchObject(refusal);
      await expect(engine.redeem({ ...right, purpose: given })).rejects.toMatchObject(refusal);
    }
    expect(await engine.redeem(right)).toBe(true);
  });

  it('CAP-1 issues only kinds that it can check, and tells which', async () => {
    const { options } = captchaWorld();
    expect(createCaptchas(options).kinds).toEqual(KINDS);
    const bare = createCaptchas({ store: options.store });
    expect(bare.kinds).toEqual(['proof-of-work']);
    for (const kind of KINDS.filter((each) => each !== 'proof-of-work')) {
      const refused = bare.issue({ kind, purpose: 'login' });
      const option = kind === 'external' ? 'external' : 'renderer';
      await expect(refused).rejects.toThrow(`; for ${kind}, give createCaptchas the option ${option}`);
      await expect(refused).rejects.toThrow(TypeError);
    }
    await expect(bare.issue({ kind: 'guess' as CaptchaKind, purpose: 'login' })).rejects.toThrow(TypeError);
    for (const purpose of ['', 'Login', 'a:b', 'a'.repeat(65)]) {
      await expect(bare.issue({ kind: 'proof-of-work', purpose })).rejects.toThrow(/issue: purpose must be/);
    }
  });

  it('CAP-1 refuses bad options, all at once', () => {
    const given = {
      store: {},
      renderer: {},
      validSeconds: 0,
      proofOfWork: { cost: 5, puzzles: 6, memoryMebibytes: 4 },
    };
    try {
      createCaptchas(given as never);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'CAPTCHA_SETUP_INVALID' });
      const { faults } = error as { faults: string[] };
      for (const name of ['store', 'renderer', 'validSeconds', 'proofOfWork.cost']) {
        expect(faults.some((fault) => fault.startsWith(name))).toBe(true);
      }
    }
  });

  it('CAP-1 no answer of any form opens a captcha, or fails in another way than by false', async () => {
    const { engine } = captchaWorld();
    const text = fc.oneof(
      // Lone surrogates too.
      fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
      fc.constantFrom('0.0', '1.1', '-1.0', '1e3.0', '0x1.0'),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...KINDS), text, text, text, async (kind, key, code, proof) => {
        const captcha = await engine.issue({ kind, purpose: 'login' });
        expect(await engine.redeem({ purpose: 'login', kinds: KINDS, key, code, proof })).toBe(false);
        expect(await engine.redeem({ purpose: 'sms', kinds: KINDS, key: captcha.key, code, proof })).toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});

it('CAP-1 an entry of another version is no right answer, and no failure', async () => {
  for (const entry of ['ACEFG', '34679', '[]', '"x"', '{}', '{"kind":"image","purpose":"login"}']) {
    const store = { set: async () => {}, take: async () => entry };
    const { engine } = captchaWorld({ store });
    const given = { purpose: 'login', kinds: KINDS, key: 'A'.repeat(22), code: 'ACEFG', proof: '0.0' };
    expect(await engine.redeem(given)).toBe(false);
  }
});

describe('mistakes in the call of redeem', () => {
  it('CAP-1 what a client sends in another type is wrong, and no failure', async () => {
    const { engine } = captchaWorld();
    for (const odd of [null, 7, {}, ['a'], { length: 3 }]) {
      const { key } = await engine.issue({ kind: 'both', purpose: 'login' });
      const given = { purpose: 'login', kinds: KINDS, key, code: odd, proof: odd };
      expect(await engine.redeem(given as never)).toBe(false);
      expect(await engine.redeem({ ...given, key: odd } as never)).toBe(false);
    }
  });

  it('CAP-1 a wrong purpose and wrong kinds are refused before the captcha is used up', async () => {
    const { engine } = captchaWorld();
    const right = await answer(engine, 'image');
    for (const kinds of [undefined, 'image', [], ['images'], [undefined]]) {
      await expect(engine.redeem({ ...right, kinds } as never)).rejects.toThrow(
        /kinds must be a list of one or more of image/,
      );
    }
    for (const purpose of [undefined, '', 'Log in']) {
      await expect(engine.redeem({ ...right, purpose } as never)).rejects.toThrow(/purpose must be/);
    }
    expect(await engine.redeem(right)).toBe(true);
  });
});

describe.each(stores)('captchas of two nodes over %s', (_, open, need) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    if (!lacks(need)) opened = await open();
  });
  afterAll(() => opened?.close());

  it.skipIf(lacks(need)).each(['image', 'both'] as const)(
    'CAP-1 REL-4 exactly one of 50 parallel right answers of kind %s is accepted',
    async (kind) => {
      const engines = opened.nodes.map((store) => captchaWorld({ store }).engine);
      const right = await answer(engines[0]!, kind);
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => engines[i % 2]!.redeem(right)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    },
  );
});
