import type { ApiAnswer } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { Attack } from './attack.js';
import type { Bound } from './bounds.js';
import type { CaptchaHand } from './captcha-desk.js';
import { createCodeGuesses, wrongCode } from './code-guesses.js';
import type { Network } from './networks.js';
import type { AttackResult } from './results.js';
import type { Stage } from './stage.js';
import { createTally, isLawfulRefusal } from './tally.js';

export interface CodeThiefOptions {
  readonly attack: string;
  readonly from: string;
  readonly network: Network;
  /** The victims of a minute. Each gets a code, and its guesses come from one address. */
  readonly victims: (minute: number) => readonly string[];
  readonly manner: GuessManner;
  /** Answers captchas; null: gives up what needs one. */
  readonly captchas: CaptchaHand | null;
  /** The bound of guesses of ordinary codes; null: none but the takeovers. */
  readonly guesses: ((minutes: number) => Bound) | null;
  readonly takeovers: (minutes: number) => Bound;
  /**
   * Whether the right code is sent after the last guess, to see that it is not compared any more. Default false: the
   * victim, who signs in with it at the same time, would find it used.
   */
  readonly probesLimit?: boolean;
}

/** How codes are guessed: with the handle of the own send, without it, or at the recovery of a password. */
export type GuessManner = 'handle' | 'no handle' | 'recovery';

/** OTC-1, default of `max-attempts`: guesses for each handle, or for each number and network. */
const MAX_ATTEMPTS = 5;

/** The refusals of a code that was compared. Beyond the limit of attempts the answer is the same. */
const COMPARED = ['LOGIN_FAILED', 'SMS_CODE_WRONG'];

const REFUSED = [
  'SMS_LIMITED',
  'CAPTCHA_REQUIRED',
  'CAPTCHA_INVALID',
  'NEW_CODE_REQUIRED',
  'RATE_LIMITED',
  'MOBILE_REGION_REFUSED',
];

/** Sends codes to numbers of others, and guesses them. */
export function codeThief(stage: Stage, options: CodeThiefOptions): Attack {
  const { attack, from, network, victims, manner, captchas, guesses, takeovers, probesLimit = false } = options;
  const tally = createTally();
  const worth = createCodeGuesses(stage);
  const violations: Violation[] = [];
  const unexpected = new Set<string>();
  let turn = 0;
  let messages = 0;

  /** Sends a request, and again with a captcha if it needs one. */
  async function call(address: string, path: string, body: object, purpose: 'sms' | 'login') {
    const first = note(await stage.call(address, path, { body }));
    if (first.code !== 'CAPTCHA_REQUIRED' || captchas === null) return first;
    const captcha = await captchas.answer(address, 'app', purpose);
    return captcha === null ? first : note(await stage.call(address, path, { body: { ...body, ...captcha } }));
  }

  /** A recovery always needs a captcha. */
  async function recover(address: string, body: object): Promise<ApiAnswer> {
    const captcha = await captchas?.answer(address, 'app', 'recover');
    return note(await stage.call(address, '/app/auth/recoverPassword', { body: { ...body, ...captcha } }));
  }

  function note(answer: ApiAnswer): ApiAnswer {
    tally.add(answer);
    const { status, code } = answer;
    if (status >= 300 && !isLawfulRefusal(answer, [...COMPARED, ...REFUSED])) unexpected.add(`${status} ${code}`);
    return answer;
  }

  function tryCode(address: string, mobile: string, smsCode: string, handle: unknown): Promise<ApiAnswer> {
    const own = { mobile, smsCode, ...(manner !== 'no handle' && { handle }) };
    return manner === 'recovery'
      ? recover(address, { ...own, newPassword: 'e'.repeat(64) })
      : call(address, '/app/auth/login', { ...own, terminal: 'app' }, 'login');
  }

  async function attackOne(address: string, mobile: string): Promise<void> {
    const before = stage.codesOf(mobile).length;
    const sent = await call(address, '/app/auth/sendSmsCode', { mobile }, 'sms');
    const hasOwnCode = sent.status === 202 && (await stage.hasCodeAfter(mobile, before, false));
    if (hasOwnCode) messages += 1;
    const handle = sent.status === 202 ? sent.data.handle : undefined;
    const digits = stage.liveCodesOf(mobile).at(-1)?.length;
    // All at once: a race must not give more guesses.
    const wrong = Array.from({ length: MAX_ATTEMPTS }, () => wrongCode(stage.codesOf(mobile), digits));
    const answers = await Promise.all(wrong.map((smsCode) => tryCode(address, mobile, smsCode, handle)));
    const compared = answers.filter(({ code }) => COMPARED.includes(code));
    for (const _ of compared) worth.compared(mobile, manner !== 'no handle' && hasOwnCode);
    if (probesLimit && compared.length === MAX_ATTEMPTS) await probe(address, mobile, handle);
  }

  /** The attempts are used up, so the right code must be refused, too. */
  async function probe(address: string, mobile: string, handle: unknown): Promise<void> {
    const smsCode = stage.liveCodesOf(mobile).at(-1);
    if (smsCode === undefined) return;
    const { status } = await tryCode(address, mobile, smsCode, handle);
    if (status >= 300) return;
    violations.push({ kind: 'let-through', key: attack, detail: `guess ${MAX_ATTEMPTS + 1} of a code was compared` });
  }

  return {
    async minute(minute) {
      const numbers = victims(minute);
      const first = turn;
      turn += numbers.length;
      await Promise.all(numbers.map((mobile, offset) => attackOne(network(first + offset), mobile)));
    },
    result(minutes): AttackResult {
      const inGuesses = { what: 'guesses of ordinary codes', count: worth.ordinary };
      const inTakeovers = { what: 'takeovers expected', count: worth.expected, ...takeovers(minutes) };
      return {
        attack,
        from,
        requests: tally.requests,
        reached: [...(guesses === null ? [] : [{ ...inGuesses, ...guesses(minutes) }]), inTakeovers],
        expectedTakeovers: worth.expected,
        takeovers: violations.length,
        price: { messages, captchas },
        violations: [
          ...violations,
          ...[...unexpected].map((detail): Violation => ({ kind: 'wrong-refusal', key: attack, detail })),
        ],
      };
    },
  };
}
