import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { type OpenedStore, stores } from '../../../scripts/test-stores.js';
import { address, freshRecipient, other, testCodes } from './test-codes.js';

describe.each(stores)('one-time codes on %s', (_name, open, need) => {
  let opened: OpenedStore;
  let node: ReturnType<typeof testCodes>;
  let second: ReturnType<typeof testCodes>;

  describe.skipIf(lacks(need))('as two nodes see them', () => {
    beforeAll(async () => {
      opened = await open();
      node = testCodes({}, { store: opened.nodes[0] });
      second = testCodes({}, { store: opened.nodes[1] });
    });
    afterAll(() => opened.close());

    async function sent(ask = {}) {
      const recipient = freshRecipient();
      const { handle, code } = await node.send(recipient, ask);
      return { recipient, handle, code: code! };
    }

    it('OTC-1 APP-5 a send answers a handle of 128 bits, and the code is accepted once, on any node', async () => {
      const { recipient, handle, code } = await sent();
      expect(handle).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(code).toMatch(/^[0-9]{6}$/);
      expect(await second.signsIn(recipient, code, { handle })).toBe(true);
      expect(await node.signsIn(recipient, code, { handle })).toBe(false);
    });

    it('REL-4 OTC-1 exactly one of 50 parallel uses of a right code on two nodes takes effect', async () => {
      const { recipient, handle, code } = await sent();
      const uses = Array.from({ length: 50 }, (_, i) => (i % 2 ? node : second).signsIn(recipient, code, { handle }));
      expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
    });

    it('REL-4 OTC-1 of 50 codes that were right at once, exactly one redeem resolves to true', async () => {
      const { recipient, handle, code } = await sent();
      const rights = await Promise.all([node, second, node].map((each) => each.check(recipient, code, { handle })));
      const redeems = Array.from({ length: 50 }, (_, i) => rights[i % 3]!.redeem());
      expect((await Promise.all(redeems)).filter(Boolean)).toHaveLength(1);
    });

    it('OTC-1 of 20 parallel checks of a handle five are compared, and the right code is refused after them', async () => {
      const { recipient, handle, code } = await sent();
      const guesses = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? node : second).outcome(recipient, other(code), { handle }),
      );
      expect(new Set(await Promise.all(guesses))).toEqual(new Set(['wrong']));
      expect((await node.engine.explain(recipient)).wrongCodes).toBe(5);
      expect(await node.signsIn(recipient, code, { handle })).toBe(false);
    });

    it('OTC-2 OTC-4 of 20 parallel sends from 20 addresses on two nodes one sends a message and counts, and all answer the same', async () => {
      const recipient = freshRecipient();
      const captcha = async () => false;
      const asked = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? node : second).send(recipient, { from: address(i), captcha }),
      );
      const answers = await Promise.all(asked);
      const messages = [...node.messages, ...second.messages].filter((message) => message.recipient === recipient);
      expect(messages).toHaveLength(1);
      expect(new Set(answers.map(({ handle }) => handle)).size).toBe(20);
      for (const purpose of ['login', 'recover'])
        expect(await node.sending(recipient, { purpose, captcha })).toBe('sent');
      expect(await second.sending(recipient, { purpose: 'other', captcha })).toBe('CAPTCHA_REQUIRED');
      // Each of them may be the owner's, and all of them accept the message on his phone.
      expect(await second.signsIn(recipient, messages[0]!.code, { handle: answers.at(-1)!.handle })).toBe(true);
    });

    it('OTC-2 a clear on one node frees the recipient on the other', async () => {
      const { recipient } = await sent();
      const captcha = async () => false;
      expect(await node.sending(recipient, { purpose: 'login', captcha })).toBe('sent');
      expect(await second.sending(recipient, { purpose: 'recover', captcha })).toBe('sent');
      expect(await second.sending(recipient, { purpose: 'other', captcha })).toBe('CAPTCHA_REQUIRED');
      await node.engine.clear(recipient);
      expect(await second.sending(recipient, { captcha })).toBe('sent');
    });
  });
});
