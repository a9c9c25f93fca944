import fc from 'fast-check';
import { it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { other, timedCodes } from './test-codes.js';

/*
 * A second, simple implementation of the limits of one recipient: lists of codes and handles, and counters with the end
 * of their window. It uses nothing of the engine. Every captcha is answered.
 */
const POLICY = {
  maxAttempts: 2,
  wrongCaptchaAfter: 2,
  wrongDailyLimit: 4,
  recipientDailyLimit: 3,
  slowResendSeconds: 600,
  ipWrongDailyLimit: 100_000,
  captchaAfter: 100_000,
  ipHourlyLimit: 100_000,
};
const VALID = 300;
const RESEND = 60;
const MARGIN = 600;
const DAY = 86_400;

interface ModelCode {
  readonly code: string;
  readonly sentAt: number;
  readonly place: number;
  readonly until: number;
  readonly isLong: boolean;
  isUsed: boolean;
}

interface ModelHandle {
  /** Null: every code. */
  readonly code: ModelCode | null;
  readonly until: number;
  tries: number;
  mistakes: number;
}

class Window {
  value = 0;
  until = 0;
  add(now: number, seconds: number, by = 1): number {
    this.value = this.at(now) + by;
    if (now >= this.until) this.until = now + seconds;
    return this.value;
  }
  at(now: number): number {
    return now < this.until ? this.value : 0;
  }
  giveBack(now: number, by: number): void {
    this.value = Math.max(0, this.at(now) - by);
  }
}

class Model {
  codes: ModelCode[] = [];
  readonly handles = new Map<string, ModelHandle>();
  readonly tries = new Map<string, Window>();
  wrong = new Window();
  messages = new Window();
  resets = new Window();
  /** The first of ordinary codes, the second of long ones. */
  turnsUntil = [0, 0];

  live(now: number): ModelCode[] {
    return this.codes.filter(({ until, isUsed }) => now < until && !isUsed);
  }

  /** Whether a send has to bring a message, of how many digits, and until when its code is valid. */
  expectSend(now: number): { readonly digits: number; readonly until: number } | null {
    const isSlow = this.messages.at(now) >= POLICY.recipientDailyLimit;
    const isLong = this.wrong.at(now) >= POLICY.wrongCaptchaAfter;
    if (now < this.turnsUntil[Number(isLong)]!) return null;
    if (this.live(now).length >= 3) {
      // A code that is not accepted any more gives its place to a long one.
      const dead = this.live(now).find((each) => !each.isLong);
      if (this.wrong.at(now) < POLICY.wrongDailyLimit || dead === undefined) return null;
      dead.isUsed = true;
    }
    const interval = isSlow ? POLICY.slowResendSeconds : RESEND;
    this.turnsUntil[Number(isLong)] = now + interval;
    this.messages.add(now, DAY);
    const digits = isLong ? 12 : 6;
    return { digits, until: now + Math.max(VALID, isSlow ? interval : 0) };
  }

  noteSend(handle: string, code: ModelCode | null, now: number): void {
    if (code !== null) this.codes.push(code);
    const until = (code?.until ?? now + Math.max(VALID, POLICY.slowResendSeconds)) + MARGIN;
    this.handles.set(handle, { code, until, tries: 0, mistakes: 0 });
  }

  check(now: number, code: string, handle: string, network: string): string {
    const found = this.handles.get(handle);
    const bound = found !== undefined && now < found.until ? found : null;
    const attempts = bound === null ? this.ofNetwork(network).add(now, VALID) : ++bound.tries;
    if (attempts > POLICY.maxAttempts) return 'wrong';
    if (this.wrong.at(now) >= POLICY.wrongDailyLimit && code.length !== 12) {
      if (bound === null) this.ofNetwork(network).giveBack(now, 1);
      else bound.tries -= 1;
      return 'NEW_CODE_REQUIRED';
    }
    const compared = this.live(now).filter((each) => bound === null || bound.code === null || bound.code === each);
    const right = compared.find((each) => each.code === code);
    if (right === undefined) {
      this.wrong.add(now, DAY);
      const own = bound?.code ?? null;
      if (own !== null && compared.length > 0 && !own.isLong && own.code.length === code.length) bound!.mistakes += 1;
      return 'wrong';
    }
    right.isUsed = true;
    if (bound?.code !== null && bound !== null) this.wrong.giveBack(now, bound.mistakes);
    if (this.resets.add(now, DAY) <= 10) {
      this.turnsUntil = [0, 0];
      this.messages = new Window();
    }
    return 'in';
  }

  clear(now: number): void {
    const live = this.live(now);
    // Of codes that were sent at the same time, the one in the first place.
    const [oldest] = live.sort((a, b) => a.sentAt - b.sentAt || a.place - b.place);
    if (live.length >= 3 && oldest !== undefined) oldest.isUsed = true;
    this.tries.clear();
    this.wrong = new Window();
    this.messages = new Window();
    this.resets = new Window();
    this.turnsUntil = [0, 0];
  }

  ofNetwork(network: string): Window {
    const window = this.tries.get(network) ?? new Window();
    this.tries.set(network, window);
    return window;
  }
}

const NETWORKS = ['192.0.2.1', '192.0.2.2', '2001:db8::1'];
const network = fc.constantFrom(...NETWORKS);
const which = fc.nat(4);

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('send' as const), network }) },
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constant('check' as const),
      network,
      code: which,
      handle: fc.option(which, { freq: 3 }),
      isRight: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('pass' as const), seconds: fc.constantFrom(1, 30, 60, 299, 601, 90_000) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
);

it.each([true, false])(
  'OTC-1 OTC-2 PRF-13 sends and checks go as in a simple model: changeAll %s',
  async (hasChangeAll) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const recipient = '+8613800000000';
        const { engine, send, outcome, pass } = timedCodes(POLICY, {}, hasChangeAll);
        const model = new Model();
        const codes: string[] = ['123456'];
        const handles: string[] = ['A'.repeat(22)];
        let now = 0;
        for (const step of commands) {
          if (step.type === 'pass') {
            now += step.seconds;
            pass(step.seconds);
          } else if (step.type === 'clear') {
            model.clear(now);
            await engine.clear(recipient);
          } else if (step.type === 'send') {
            const expected = model.expectSend(now);
            const { handle, code } = await send(recipient, { from: step.network });
            if ((code?.length ?? null) !== (expected?.digits ?? null))
              throw new Error(`sent ${code} for ${expected?.digits}`);
            const made = expected && {
              code: code!,
              sentAt: now,
              place: [0, 1, 2].find((place) => model.live(now).every((live) => live.place !== place))!,
              until: expected.until,
              isLong: expected.digits === 12,
              isUsed: false,
            };
            model.noteSend(handle, made, now);
            handles.push(handle);
            if (code !== null) codes.push(code);
          } else {
            const code = codes[step.code % codes.length]!;
            const typed = step.isRight ? code : other(code);
            const handle = step.handle === null ? '' : handles[step.handle % handles.length]!;
            const expected = model.check(now, typed, handle, step.network);
            const found = await outcome(recipient, typed, { from: step.network, handle });
            if (found !== expected) throw new Error(`${JSON.stringify(step)}: ${found} for ${expected}`);
          }
        }
      }),
      { numRuns: cases(500) },
    );
  },
);
