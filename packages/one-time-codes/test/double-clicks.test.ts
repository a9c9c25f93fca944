import type { TtlStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { address, freshRecipient, no, testCodes, timedCodes, yes } from './test-codes.js';

/** A store whose calls take turns, as calls over a network do. */
function overNetwork(store: TtlStore): TtlStore {
  let seed = 1;
  return new Proxy(store, {
    get(target, verb: keyof TtlStore) {
      const member = target[verb];
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        seed = (seed * 48_271) % 2_147_483_647;
        for (let ticks = seed % 4; ticks > 0; ticks -= 1) await new Promise(setImmediate);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

describe.each([true, false])('a double click: changeAll %s', (hasChangeAll) => {
  /** Two nodes on one store. */
  function nodes(policy: Parameters<typeof timedCodes>[0] = {}) {
    const timed = timedCodes(policy, {}, hasChangeAll);
    const open = () => testCodes(policy, { store: overNetwork(timed.store), now: timed.now });
    const [one, two] = [open(), open()];
    const both = (recipient: string, count: number, ask: Parameters<typeof one.sending>[1]) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          [one, two]
            [at % 2]!.engine.send({
              recipient,
              clientIp: ask?.from ?? address(at),
              purpose: ask?.purpose ?? null,
              hasCaptcha: ask?.captcha,
              context: undefined,
            })
            .then(
              () => 'answered',
              ({ code }) => String(code),
            ),
        ),
      );
    const messages = () => [...timed.messages, ...one.messages, ...two.messages];
    return { ...timed, one, two, both, messages };
  }

  it('OTC-4 counts once, over nodes: three codes of an hour come without a captcha, each clicked four times', async () => {
    const { engine, both, messages, pass } = nodes();
    const recipient = freshRecipient();
    for (let code = 1; code <= 3; code += 1) {
      expect((await engine.needsCaptcha({ clientIp: address(1), recipient })).send).toBe(false);
      expect(await both(recipient, 4, { captcha: no })).toEqual(Array(4).fill('answered'));
      pass(30);
      expect(await both(recipient, 2, { captcha: no })).toEqual(Array(2).fill('answered'));
      expect(messages()).toHaveLength(code);
      pass(31);
    }
    expect((await engine.needsCaptcha({ clientIp: address(1), recipient })).send).toBe(true);
    expect(await both(recipient, 4, { captcha: no })).toEqual(Array(4).fill('CAPTCHA_REQUIRED'));
    expect(messages()).toHaveLength(3);
  });

  it('OTC-4 after the third code is asked for no captcha, which it would use up for nothing', async () => {
    const { sending, pass } = nodes();
    const recipient = freshRecipient();
    let asked = 0;
    const captcha = async () => {
      asked += 1;
      return true;
    };
    for (let i = 0; i < 3; i += 1) {
      pass(301);
      expect(await sending(recipient, { captcha })).toBe('sent');
    }
    expect([await sending(recipient, { captcha }), asked]).toEqual(['no message', 0]);
    pass(301);
    expect([await sending(recipient, { captcha }), asked]).toEqual(['sent', 1]);
  });

  it('OTC-2 OTC-4 brings nobody more messages: three an hour without a captcha, of any purposes, however they come', async () => {
    const { engine, both, messages, pass } = nodes();
    const recipient = freshRecipient();
    const purposes = [null, 'login', 'recover'];
    for (let second = 0; second < 3600; second += 29) {
      await Promise.all(purposes.map((purpose) => both(recipient, 2, { purpose, captcha: no })));
      pass(29);
    }
    expect(messages()).toHaveLength(3);
    await engine.clear(recipient);
    await Promise.all(purposes.map((purpose) => both(recipient, 5, { purpose, captcha: no })));
    expect(messages().length).toBeLessThanOrEqual(6);
  });

  it('OTC-2 strangers without a captcha keep no message from the owner who has answered one', async () => {
    const { both, one, pass, sending } = nodes();
    const recipient = freshRecipient();
    for (let i = 0; i < 3; i += 1) {
      expect(await sending(recipient, { from: address(i) })).toBe('sent');
      pass(301);
    }
    for (let round = 0; round < 6; round += 1) {
      const strangers = both(recipient, 20, { captcha: no });
      expect(await one.sending(recipient, { from: address(999), captcha: yes })).toBe('sent');
      await strangers;
      pass(301);
    }
  });

  it('OTC-2 does not tell strangers who has signed in before, where new recipients get no message', async () => {
    const { send, sending, signsIn, pass } = nodes({ ipHourlyLimit: 20 });
    const [known, fresh] = [freshRecipient(), freshRecipient()];
    const { handle, code } = await send(known, { from: address(1) });
    await signsIn(known, code!, { handle, from: address(1) });
    for (let i = 0; i < 10; i += 1) expect(await sending(freshRecipient())).toBe('sent');
    const answers: string[][] = [];
    for (const recipient of [known, fresh]) {
      const seen: string[] = [];
      for (const seconds of [0, 1, 29, 31, 1, 61, 1, 1, 61]) {
        pass(seconds);
        seen.push((await sending(recipient, { captcha: no })).replace('no message', 'sent'));
      }
      answers.push(seen);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]!.at(-1)).toBe('CAPTCHA_REQUIRED');
  });

  it('OTC-4 in the slow half hours a send counts once a minute, as its answer says', async () => {
    const { engine, sending, pass } = nodes({ recipientDailyLimit: 1, recipientCaptchaAfter: 3 });
    const recipient = freshRecipient();
    const outcomes: string[] = [];
    for (const seconds of [0, 61, 1, 1, 61, 1, 61]) {
      pass(seconds);
      outcomes.push(await sending(recipient, { captcha: no }));
    }
    expect(outcomes).toEqual(['sent', 'sent', ...Array(4).fill('no message'), 'CAPTCHA_REQUIRED']);
    expect((await engine.explain(recipient)).messages).toBe(2);
  });
});
