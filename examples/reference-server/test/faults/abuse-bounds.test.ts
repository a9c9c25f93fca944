import { counterKey } from '@sallyport/client-ip';
import { describe, expect, it } from 'vitest';
import { violationsOf } from '../../faults/abuse/attack.js';
import * as bounds from '../../faults/abuse/bounds.js';
import { createCodeGuesses } from '../../faults/abuse/code-guesses.js';
import { createVisits, sumOf, violationsOfHonest } from '../../faults/abuse/honest.js';
import { ipv4Network, networksOf48, networksOf64 } from '../../faults/abuse/networks.js';
import { firstOf, numbersAbroad, numbersOf } from '../../faults/abuse/numbers.js';
import { abuseTables } from '../../faults/abuse/report.js';
import type { AttackResult } from '../../faults/abuse/results.js';
import { parseMobile, regionOf } from '../../src/http/mobile-number.js';

const guesser = (count: number): AttackResult => ({
  attack: 'guesser',
  from: 'everywhere',
  requests: 100,
  reached: [{ what: 'guesses evaluated', count, ...bounds.guessesAtName(5) }],
  expectedTakeovers: 0,
  takeovers: 0,
  price: { hashes: count },
});

const answer = (status: number, code: string) => ({ status, code, data: null, requestId: '', millis: 1 });

describe('the bounds of the attack program', () => {
  it('LGN-6 one guess beyond a bound is a violation that names the attack and the requirement', () => {
    expect(violationsOf(guesser(20))).toEqual([]);
    expect(violationsOf(guesser(21))).toEqual([
      { kind: 'bound-exceeded', key: 'guesser', detail: '21 guesses evaluated, at most 20 (LGN-6: 20 in 600 s)' },
    ]);
  });

  it('LGN-6 OTC-1 OTC-3 bounds grow by the windows, hours and days that a run touches', () => {
    expect([9, 10, 599].map((minutes) => bounds.guessesAtName(minutes).bound)).toEqual([20, 40, 1200]);
    expect([1439, 1440].map((minutes) => bounds.guessesOfCodes(minutes, true).bound)).toEqual([100, 200]);
    expect([59, 60].map((minutes) => bounds.messagesToStrangers(minutes).bound)).toEqual([1500, 3000]);
    expect(bounds.takeoversBySpraying(1439).bound).toBe(0.01);
    expect(bounds.messagesWithoutCaptcha(59, 50).bound).toBe(1000);
    expect(bounds.messagesWithoutCaptcha(59, 1000).bound).toBe(1500);
  });

  it('OTC-1 a guess is worth the codes that it could have met', () => {
    const worth = createCodeGuesses({ liveCodesOf: () => ['111111', '222222', '333333333333'] });
    worth.compared('+8613800000000', false);
    expect(worth).toMatchObject({ ordinary: 1, expected: expect.closeTo(2e-6 + 1e-12, 15) });
    worth.compared('+8613800000000', true);
    expect(worth).toMatchObject({ ordinary: 1, expected: expect.closeTo(2e-6 + 2e-12, 15) });
  });
});

describe('honest users of the attack program', () => {
  it('LGN-12 a refusal is a violation, unless the row says why it may happen', async () => {
    const rows = await Promise.all(
      [null, 'shares the address of the attacker'].map(async (mayBeRefused) => {
        const visits = createVisits({ who: 'owner', mayBeRefused });
        await visits.run(async () => answer(200, ''));
        await visits.run(async () => answer(429, 'LOGIN_LOCKED'));
        return visits.result();
      }),
    );
    expect(rows.map(violationsOfHonest)).toEqual([
      [{ kind: 'owner-refused', key: 'owner', detail: '1 of 2: LOGIN_LOCKED × 1' }],
      [],
    ]);
    expect(sumOf(rows)).toMatchObject([
      { tried: 4, signedIn: 2, refused: 2, outcomes: new Map([['LOGIN_LOCKED', 2]]) },
    ]);
  });

  it('OTC-2 a captcha that is asked for is answered once, and counted', async () => {
    const visits = createVisits({ who: 'owner' });
    const given: unknown[] = [];
    await visits.run(() =>
      visits.withCaptcha(
        async (captcha) => {
          given.push(captcha);
          return captcha === null ? answer(400, 'CAPTCHA_REQUIRED') : answer(200, '');
        },
        async () => ({ key: 'key', code: 'CODE' }),
      ),
    );
    expect(given).toEqual([null, { key: 'key', code: 'CODE' }]);
    expect(visits.result()).toMatchObject({ tried: 1, refused: 0, captchas: 1 });
  });

  it('OTC-2 a row that never tried to sign in proves nothing', () => {
    expect(violationsOfHonest(createVisits({ who: 'nobody' }).result())).toMatchObject([{ kind: 'owner-refused' }]);
  });
});

describe('networks and numbers of the attack program', () => {
  it('LGN-7 each address of a network is counted by itself', () => {
    for (const network of [ipv4Network(20, 1000), networksOf64(0x64, 1000), networksOf48(0x1000, 1000)]) {
      const keys = new Set(Array.from({ length: 1000 }, (_, index) => counterKey(network(index))));
      expect(keys.size).toBe(1000);
      expect(keys.has(counterKey(network(1000)))).toBe(true);
    }
  });

  it('LP-36 OTC-3 each number is a mobile number, of the default region or of six others', () => {
    for (const prefix of ['135', '136', '137', '139', '1399', '150', '157', '158', '159', '180', '181', '188', '189']) {
      for (const mobile of firstOf(numbersOf(prefix), 20)) expect(parseMobile(mobile, 'CN')).toBe(mobile);
    }
    const regions = Array.from({ length: 600 }, (_, index) => regionOf(parseMobile(numbersAbroad(index), 'CN') ?? ''));
    expect(regions.includes(null)).toBe(false);
    expect(new Set(regions).size).toBe(6);
  });
});

describe('the report of the attack program', () => {
  it('LGN-6 says what each attacker reached, what it cost and what honest users met', () => {
    const visits = createVisits({ who: 'owner' });
    const tables = abuseTables({
      clock: 'moved',
      minutes: 5,
      attacks: [guesser(20)],
      honest: [visits.result()],
      operator: { messages: 3, cpuSeconds: 1.25, hashSeconds: 0.25 },
    });
    expect(tables[0]![1]).toEqual(
      expect.arrayContaining(['guesser', 'everywhere', '20 of 20 guesses evaluated', 'LGN-6: 20 in 600 s', '5']),
    );
    expect(tables[1]![1]).toEqual(['owner', '0', '0', '0', 'never', '']);
    expect(tables[2]).toContainEqual(['messages of attackers and users', '3']);
  });
});
