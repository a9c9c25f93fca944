import { createHmac, randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../../scripts/free-port.mjs';
import { openGateway, type TestGateway } from '../../../faults/message-gateway.js';
import { fillTemplate, templateFault } from '../../../src/config/gateway-template.js';
import { createDelivery } from '../../../src/modules/notifications/deliver.js';
import { createGatewaySender } from '../../../src/modules/notifications/gateway-sender.js';
import {
  NotTakenError,
  type Sender,
  type SmsCodeNotification,
  type TextMessage,
  textOf,
} from '../../../src/modules/notifications/notification.js';
import { createOutbox } from '../../../src/modules/notifications/outbox.js';
import { createPayloadSeal } from '../../../src/modules/notifications/sealed-payload.js';

const START = 1_700_000_000_000;

const notification: SmsCodeNotification = {
  id: 'n-1',
  kind: 'sms-code',
  mobile: '+8613812345678',
  code: '042042',
  codeId: 'c-1',
  language: 'en',
  validMinutes: 5,
  expiresAt: START + 300_000,
};

/** A sender without preparation. */
const senderOf = (send: (message: TextMessage) => Promise<void>): Sender => ({
  prepare: async (message) => ({ send: () => send(message), abandon: () => {} }),
});

describe('a delivery', () => {
  let time: number;
  let sends: string[];
  let send: () => Promise<void>;
  let isWanted: boolean;
  let store: ReturnType<typeof createMemoryStore>;
  const now = () => time;
  const worker = () =>
    createDelivery({
      store,
      now,
      isWanted: async () => isWanted,
      sender: senderOf(async ({ text }) => {
        sends.push(text);
        await send();
      }),
    });
  beforeEach(() => {
    time = START;
    sends = [];
    send = async () => {};
    isWanted = true;
    store = createMemoryStore({ now });
  });

  it("APP-4 sends the text in the recipient's language", async () => {
    expect(await worker()(notification)).toBe('sent');
    expect(sends).toEqual(['Your code is 042042. It is valid for 5 minutes. Do not share it.']);
    expect(textOf({ ...notification, validMinutes: 1 })).toContain('1 minute.');
    expect(textOf({ ...notification, language: 'zh-CN' })).toBe('您的验证码是 042042，5 分钟内有效。请勿告诉他人。');
  });

  it('REL-9 APP-4 nothing is sent after expiry', async () => {
    time = notification.expiresAt - 1;
    expect(await worker()(notification)).toBe('sent');
    time = notification.expiresAt;
    expect(await worker()({ ...notification, id: 'n-2' })).toBe('expired');
    expect(sends).toHaveLength(1);
  });

  it('REL-9 a worker that crashes while it connects has sent nothing and consumed no send', async () => {
    let isDying = true;
    const deliver = createDelivery({
      store,
      now,
      isWanted: async () => true,
      sender: {
        async prepare() {
          if (isDying) throw new Error('killed');
          return { send: async () => void sends.push('sent'), abandon: () => {} };
        },
      },
    });
    for (let i = 0; i < 5; i += 1) await expect(deliver(notification)).rejects.toThrow('killed');
    isDying = false;
    expect(await deliver(notification)).toBe('sent');
  });

  it('SV-20 APP-4 a code that was used or replaced is not sent', async () => {
    isWanted = false;
    expect(await worker()(notification)).toBe('superseded');
    expect(sends).toEqual([]);
  });

  it('REL-9 a message is sent at most twice, however many workers crash between send and acknowledgement', async () => {
    // To the counter, a crashed worker is one whose send never returned.
    send = async () => {
      throw new Error('killed');
    };
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => worker()(notification)));
    expect(sends).toHaveLength(2);
    expect(attempts.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(await worker()(notification)).toBe('unconfirmed');
  });

  it('APP-4 a message that was certainly not accepted is retried without limit', async () => {
    send = async () => {
      throw new NotTakenError('away');
    };
    for (let i = 0; i < 50; i += 1) await expect(worker()(notification)).rejects.toThrow('away');
    send = async () => {};
    expect(await worker()(notification)).toBe('sent');
  });

  it('APP-4 a message that the gateway rejects is not retried', async () => {
    send = async () => {
      throw new NotTakenError('bad number', { isFinal: true });
    };
    expect(await worker()(notification)).toBe('refused');
  });

  it('REL-9 however sends fail, a message is possibly sent at most twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('taken', 'not taken', 'no answer'), { maxLength: 12 }),
        async (plan) => {
          const counters = createMemoryStore({ now });
          let possible = 0;
          let step = 0;
          const deliver = createDelivery({
            store: counters,
            now,
            isWanted: async () => true,
            sender: senderOf(async () => {
              const outcome = plan[step];
              if (outcome === 'not taken') throw new NotTakenError('away');
              possible += 1;
              if (outcome === 'no answer') throw new Error('timeout');
            }),
          });
          for (; step < plan.length; step += 1) if ((await deliver(notification).catch(() => null)) !== null) break;
          expect(possible).toBeLessThanOrEqual(2);
        },
      ),
    );
  });
});

describe('the gateway', () => {
  let gateway: TestGateway;
  const key = randomBytes(32).toString('hex');
  const message = { ...notification, text: 'Say "042042"\\\nnow' };
  const sender = (more: object = {}) => {
    const gatewaySender = createGatewaySender({
      url: gateway.url,
      body: '{"to":"{{mobile}}","text":"{{text}}","template":{"code":"{{code}}","minutes":"{{validMinutes}}"}}',
      headers: { Authorization: 'Bearer gateway-token' },
      signatureKey: key,
      timeoutMillis: 5000,
      now: () => START,
      ...more,
    });
    return { send: async (sent: TextMessage) => (await gatewaySender.prepare(sent)).send() };
  };
  beforeEach(async () => {
    gateway = await openGateway();
  });
  afterEach(() => gateway.close());

  it('APP-4 receives one POST with the filled template, its headers, and a signature over time and body', async () => {
    await sender().send(message);
    const [request] = gateway.requests;
    expect(request?.body).toEqual({
      to: '+8613812345678',
      text: message.text,
      template: { code: '042042', minutes: '5' },
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      authorization: 'Bearer gateway-token',
      'idempotency-key': 'n-1',
      'x-timestamp': String(START / 1000),
      'x-signature': createHmac('sha256', key)
        .update(`${START / 1000}.${request?.text}`)
        .digest('hex'),
    });
    await sender({ signatureKey: null }).send(message);
    expect(gateway.requests[1]?.headers).not.toHaveProperty('x-signature');
  });

  it.each([
    [200, 'taken'],
    [202, 'taken'],
    [301, 'final'],
    [400, 'final'],
    [401, 'final'],
    [408, 'again'],
    [425, 'again'],
    [429, 'again'],
    [500, 'again'],
    [502, 'open'],
    [503, 'again'],
    [504, 'open'],
  ])('APP-4 SV-20 the answer %i means: %s', async (status, meaning) => {
    gateway.answer = () => status;
    const outcome = await sender()
      .send(message)
      .then(
        () => 'taken',
        (error) => (error instanceof NotTakenError ? (error.isFinal ? 'final' : 'again') : 'open'),
      );
    expect(outcome).toBe(meaning);
    expect(gateway.requests).toHaveLength(1);
  });

  it('APP-4 a timeout leaves the outcome unknown, a failed connection means not accepted, and neither waits beyond the expiry of the code', async () => {
    gateway.answer = () => 'silence';
    const late = await sender({ timeoutMillis: 500 })
      .send(message)
      .catch((error) => error);
    expect(late).not.toBeInstanceOf(NotTakenError);
    const atTheEnd = await sender({ now: () => message.expiresAt - 30 })
      .send(message)
      .catch((error) => error);
    expect(atTheEnd).toBeInstanceOf(Error);
    const nowhere = `http://127.0.0.1:${await freePort()}/`;
    await expect(sender({ url: nowhere }).send(message)).rejects.toBeInstanceOf(NotTakenError);
  });

  it('AU-07 its errors contain neither number, code nor token', async () => {
    gateway.answer = () => 500;
    const error: Error = await sender()
      .send(message)
      .catch((caught) => caught);
    expect(`${error.message} ${error.cause}`).not.toMatch(/138|042042|gateway-token/);
  });

  it('APP-4 a template is JSON with known placeholders, and no value escapes its string', () => {
    expect(templateFault('{"to":"{{mobile}}"}')).toBeNull();
    expect(templateFault('{"to":"{{phone}}"}')).toContain('{{phone}}');
    expect(templateFault('{"to":{{mobile}}}')).not.toBeNull();
    expect(templateFault('to={{mobile}}')).not.toBeNull();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const filled = fillTemplate('{"a":"{{text}}","b":1}', { id: '', mobile: '', code: '', validMinutes: '', text });
        expect(JSON.parse(filled)).toEqual({ a: text, b: 1 });
      }),
    );
  });
});

describe('a queued message', () => {
  const seal = createPayloadSeal(randomBytes(32));

  it('APP-4 is encrypted: it reveals neither code nor number, and decrypts only under its own id and key, unchanged', () => {
    const sealed = seal.seal(notification);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/042042|138123/);
    expect(seal.open('n-1', sealed)).toEqual(notification);
    expect(() => seal.open('n-2', sealed)).toThrow();
    expect(() => createPayloadSeal(randomBytes(32)).open('n-1', sealed)).toThrow();
    const bytes = Buffer.from(sealed, 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(() => seal.open('n-1', changed.toString('base64url'))).toThrow();
    }
    for (const cut of [0, 5, 12, 28, bytes.length - 1]) {
      expect(() => seal.open('n-1', bytes.subarray(0, cut).toString('base64url'))).toThrow();
    }
  });
});

describe('the development outbox', () => {
  it('APP-4 keeps what parallel workers send, newest first, and no more than it shows', async () => {
    const outbox = createOutbox(createMemoryStore());
    const message = (i: number) => ({ ...notification, id: `n-${i}`, text: 'x' });
    const send = async (sender: Sender, sent: TextMessage) => (await sender.prepare(sent)).send();
    await Promise.all(Array.from({ length: 10 }, (_, i) => send(outbox, message(i))));
    expect(new Set((await outbox.read()).map(({ id }) => id)).size).toBe(10);
    for (let i = 10; i < 250; i += 1) await send(outbox, message(i));
    const kept = await outbox.read();
    expect([kept.length, kept[0]?.id]).toEqual([200, 'n-249']);
  });
});
