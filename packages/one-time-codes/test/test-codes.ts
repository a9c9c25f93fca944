import { randomBytes } from 'node:crypto';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import {
  type CodeMessage,
  createOneTimeCodes,
  ONE_TIME_CODE_DEFAULTS,
  type OneTimeCodeEvent,
  type OneTimeCodePolicy,
  type OneTimeCodesOptions,
} from '../src/index.js';

const KEY = randomBytes(32);

/** A recipient that no other test uses. */
export const freshRecipient = (() => {
  let last = 13_800_000_000;
  return () => `+86${++last}`;
})();

/** Another code of the same length. */
export const other = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

/** The address with this number in a test network. */
export const address = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;

export const yes = async () => true;
export const no = async () => false;

export interface Ask {
  readonly from?: string;
  readonly captcha?: () => Promise<boolean>;
  readonly handle?: string | undefined;
  readonly purpose?: string | null;
}

/** An engine whose messages the test reads, and the verbs that tests use. */
export function testCodes(
  policy: Partial<OneTimeCodePolicy> | (() => Partial<OneTimeCodePolicy>) = {},
  more: Partial<OneTimeCodesOptions> = {},
) {
  const messages: CodeMessage<undefined>[] = [];
  const events: OneTimeCodeEvent[] = [];
  const engine = createOneTimeCodes({
    store: createMemoryStore(),
    key: KEY,
    policy: () => ({ ...ONE_TIME_CODE_DEFAULTS, ...(typeof policy === 'function' ? policy() : policy) }),
    send: (message) => void messages.push(message),
    onEvent: (event) => void events.push(event),
    ...more,
  });
  const client = ({ from = '192.0.2.1', captcha = yes }: Ask) => ({ clientIp: from, hasCaptcha: captcha });

  async function send(recipient: string, ask: Ask = {}) {
    const count = messages.length;
    const { purpose = null } = ask;
    const answer = await engine.send({ recipient, purpose, context: undefined, ...client(ask) });
    const message = messages.slice(count).find((each) => each.recipient === recipient) ?? null;
    return { ...answer, code: message?.code ?? null, id: message?.id ?? null };
  }

  async function check(recipient: string, code: string, ask: Ask = {}) {
    return engine.check({ recipient, code, handle: ask.handle, purpose: ask.purpose ?? null, ...client(ask) });
  }

  async function signsIn(recipient: string, code: string, ask: Ask = {}) {
    return (await (await check(recipient, code, ask))?.redeem()) ?? false;
  }

  /** `in`, `wrong`, or the code of the refusal. */
  const outcome = (recipient: string, code: string, ask: Ask = {}) =>
    signsIn(recipient, code, ask).then(
      (isIn) => (isIn ? 'in' : 'wrong'),
      (error) => String(error.code),
    );

  /** `sent`, `no message`, or the code of the refusal and its seconds. */
  const sending = (recipient: string, ask: Ask = {}) =>
    send(recipient, ask).then(
      ({ code }) => (code === null ? 'no message' : 'sent'),
      (error) => `${error.code} ${error.retryAfterSeconds ?? ''}`.trim(),
    );

  return { engine, messages, events, send, check, signsIn, outcome, sending };
}

/** A clock that tests move, and a store and an engine that go by it. */
export function timedCodes(
  policy: Partial<OneTimeCodePolicy> | (() => Partial<OneTimeCodePolicy>) = {},
  more: Partial<OneTimeCodesOptions> = {},
  hasChangeAll = true,
) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const { changeAll, ...verbs } = createMemoryStore({ now, maxEntries: 4_000_000, maxBytes: 2 ** 31 });
  // Without `changeAll` it is as that of a Cluster, or of PostgreSQL.
  const store: TtlStore = hasChangeAll && changeAll !== undefined ? { ...verbs, changeAll } : verbs;
  return {
    ...testCodes(policy, { store, now, ...more }),
    store,
    now,
    pass: (seconds: number) => {
      time += seconds * 1000;
    },
  };
}
