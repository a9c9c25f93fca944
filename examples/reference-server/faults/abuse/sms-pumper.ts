import type { ApiAnswer } from '../api-client.js';
import type { Attack } from './attack.js';
import type { Bound } from './bounds.js';
import type { CaptchaHand } from './captcha-desk.js';
import type { Network } from './networks.js';
import type { AttackResult } from './results.js';
import { atOnce, type Stage } from './stage.js';
import { createTally, isLawfulRefusal } from './tally.js';

export interface SmsPumperOptions {
  readonly attack: string;
  readonly from: string;
  readonly network: Network;
  /** The number of a send, by its index. */
  readonly mobile: (index: number) => string;
  /** How its numbers begin, and nobody else's. */
  readonly prefixes: readonly string[];
  readonly perMinute: (minute: number) => number;
  /** Answers captchas; null: gives a send up that needs one. */
  readonly captchas: CaptchaHand | null;
  readonly bound: (minutes: number) => Bound;
}

/** Lawful refusals of a send. */
const REFUSED = ['SMS_LIMITED', 'CAPTCHA_REQUIRED', 'CAPTCHA_INVALID', 'MOBILE_REGION_REFUSED', 'RATE_LIMITED'];

/** Has messages sent, at the operator's expense, and never uses a code. */
export function smsPumper(stage: Stage, options: SmsPumperOptions): Attack {
  const { attack, from, network, mobile, prefixes, perMinute, captchas, bound } = options;
  const tally = createTally();
  const unexpected = new Set<string>();
  let asked = 0;

  async function send(address: string, index: number): Promise<void> {
    const body = { mobile: mobile(index) };
    const first = await stage.call(address, '/app/auth/sendSmsCode', { body });
    note(first);
    if (first.code !== 'CAPTCHA_REQUIRED' || captchas === null) return;
    const captcha = await captchas.answer(address, 'app', 'sms');
    if (captcha !== null) note(await stage.call(address, '/app/auth/sendSmsCode', { body: { ...body, ...captcha } }));
  }

  function note(answer: ApiAnswer): void {
    tally.add(answer);
    const { status, code } = answer;
    if (status !== 202 && !isLawfulRefusal(answer, REFUSED)) unexpected.add(`${status} ${code}`);
  }

  return {
    async minute(minute) {
      const count = perMinute(minute);
      await atOnce(count, network, asked, send);
      asked += count;
    },
    result(minutes): AttackResult {
      const count = stage.messagesTo(prefixes);
      return {
        attack,
        from,
        requests: tally.requests,
        reached: [{ what: 'messages', count, ...bound(minutes) }],
        expectedTakeovers: null,
        takeovers: 0,
        price: { messages: count, captchas },
        violations: [...unexpected].map((detail) => ({ kind: 'wrong-refusal', key: attack, detail })),
      };
    },
  };
}
