import type { ApiAnswer } from '../api-client.js';
import type { Attack } from './attack.js';
import { capturedCaptchas } from './bounds.js';
import type { CaptchaAnswer, CaptchaPurpose } from './captcha-desk.js';
import type { Network } from './networks.js';
import type { AttackResult } from './results.js';
import type { Stage } from './stage.js';
import { createTally } from './tally.js';

export interface CaptchaThiefOptions {
  readonly attack: string;
  readonly from: string;
  readonly network: Network;
  readonly mobile: (index: number) => string;
  /** How many captchas are tried to be used more than once. */
  readonly perMinute: (minute: number) => number;
}

/** How many requests race with one answered captcha. */
const RACERS = 10;

/** An address has twenty sends without a captcha. A busy server refuses with 503, which takes none of them. */
const SPENDING_ATTEMPTS = 60;

/**
 * Answers captchas rightly, and then tries to get more from each than one send: by a race, a second use, and one that
 * was made for something else.
 */
export function captchaThief(stage: Stage, options: CaptchaThiefOptions): Attack {
  const { attack, from, network, mobile, perMinute } = options;
  const captchas = stage.captchas.person();
  const tally = createTally();
  let turn = 0;
  let numbers = 0;
  let stolen = 0;
  let lawful = 0;

  /** To a number of its own, because a second send for a number within the minute is one with the first. */
  async function send(address: string, captcha: CaptchaAnswer | null): Promise<ApiAnswer> {
    const body = { mobile: mobile(numbers++), ...captcha };
    const answer = await stage.call(address, '/app/auth/sendSmsCode', { body });
    tally.add(answer);
    return answer;
  }

  /** Uses up what the address gets without a captcha, so that a send passes with one only. */
  async function spend(address: string): Promise<void> {
    for (let attempt = 0; attempt < SPENDING_ATTEMPTS; attempt += 1) {
      if (![202, 503].includes((await send(address, null)).status)) return;
    }
  }

  const accepted = (answers: readonly ApiAnswer[]) => answers.filter(({ status }) => status === 202).length;

  async function race(address: string): Promise<void> {
    const captcha = await captchas.answer(address, 'app', 'sms');
    if (captcha === null) return;
    const answers = await Promise.all(Array.from({ length: RACERS }, () => send(address, captcha)));
    const passed = accepted(answers);
    lawful += Math.min(1, passed);
    stolen += Math.max(0, passed - 1) + accepted([await send(address, captcha)]);
  }

  async function swap(address: string, audience: 'admin' | 'app', purpose: CaptchaPurpose): Promise<void> {
    const captcha = await captchas.answer(address, audience, purpose);
    if (captcha !== null) stolen += accepted([await send(address, captcha)]);
  }

  return {
    async minute(minute) {
      for (let count = 0; count < perMinute(minute); count += 1) {
        const address = network(turn++);
        await spend(address);
        await race(address);
        await swap(address, 'app', 'login');
        await swap(address, 'app', 'recover');
        await swap(address, 'admin', 'login');
      }
    },
    result(): AttackResult {
      return {
        attack,
        from,
        requests: tally.requests,
        reached: [{ what: `sends beyond the ${lawful} that were paid for`, count: stolen, ...capturedCaptchas }],
        expectedTakeovers: null,
        takeovers: 0,
        price: { messages: lawful, captchas },
        violations: lawful > 0 ? [] : [{ kind: 'effect-never', key: attack, detail: 'no captcha was ever accepted' }],
      };
    },
  };
}
