import { randomUUID } from 'node:crypto';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import { assertRecipient, normalizeCode, textOf, withCheckedArguments } from './call-arguments.js';
import type { CodeCheck, OneTimeCodes } from './contract.js';
import { createCounters, DAY_MILLIS } from './counters.js';
import { CodeCaptchaRequiredError } from './errors.js';
import type { OneTimeCodeEvent } from './events.js';
import { createExplanation } from './explain.js';
import { type CountedGuess, createWrongCodes, recipientLedger } from './guesses.js';
import { createLiveCodes, EVERY_CODE, type LiveCode } from './live-codes.js';
import { createNames } from './names.js';
import { type OneTimeCodesOptions, readOneTimeCodesOptions } from './options.js';
import { createPolicyReader } from './policy.js';
import {
  type Admission,
  createMessages,
  createSendBudgets,
  createTurns,
  createUsedShare,
  MARGIN_MILLIS,
  networksOf,
} from './sending/index.js';

/** The lifetime of the mark of a recipient that has signed in, in days. The store allows 400. */
const KNOWN_MILLIS = 365 * DAY_MILLIS;

/**
 * Sign-ins that reset the recipient's own budget, per day. Otherwise, the owner of a number could have messages sent to
 * it without limit.
 */
const MAX_RESETS = 10;

/**
 * The engine, without Fastify. The option `send` delivers the codes.
 *
 * @example
 * ```ts
 * const codes = createOneTimeCodes({
 *   store: createMemoryStore(),
 *   key: randomBytes(32), // the same on every server, and after a restart
 *   send: ({ recipient, code }) => console.log(`to ${recipient}: ${code}`), // your gateway or queue
 * });
 * app.post<{ Body: Body }>('/code', opts, ({ body, ip }) => codes.send({ recipient: body.mail, clientIp: ip }));
 * app.post<{ Body: Body }>('/login', opts, async ({ body: { mail, code = '', handle }, ip }, reply) => {
 *   const isRight = await codes.redeem({ recipient: mail, code, handle, clientIp: ip });
 *   return isRight ? { mail } : reply.code(401).send({ code: 'LOGIN_FAILED' });
 * });
 * ```
 */
export function createOneTimeCodes<Context = undefined>(options: OneTimeCodesOptions<Context>): OneTimeCodes<Context> {
  const { store, key, keyPrefix, now, onEvent, log, regionOf, prefixOf, ...given } = readOneTimeCodesOptions(options);
  const losses = 'a restart forgets codes and limits, and each process counts on its own, so that guesses go on';
  warnOfMemoryStore({ subject: 'one-time-codes', store, losses });
  const readPolicy = createPolicyReader(given.policy);
  const counters = createCounters(store, keyPrefix, now);
  const codes = createLiveCodes({ store, key, keyPrefix });
  const budgets = createSendBudgets({ counters, tellOnce });
  const wrongCodes = createWrongCodes({ counters, tellOnce });
  const share = createUsedShare({ store, counters, keyPrefix, now, tell });
  const turns = createTurns({ store, keyPrefix, now });
  const nameOf = createNames(keyPrefix);
  const { send } = given;
  const messages = createMessages<Context>({
    store,
    keyPrefix,
    counters,
    codes,
    turns,
    wrongCodes,
    names: nameOf,
    now,
    send,
  });
  const explain = createExplanation({ store, counters, codes, turns, keyPrefix, now });

  async function tell(event: OneTimeCodeEvent): Promise<void> {
    try {
      await onEvent(event);
    } catch (err) {
      log?.error({ err, event: event.type }, 'a security event was not taken');
    }
  }

  async function tellOnce(event: OneTimeCodeEvent, windowMillis: number): Promise<void> {
    const what = 'recipient' in event ? codes.tagOf(event.recipient) : 'scope' in event ? event.scope : 'all';
    const detail = 'consequence' in event ? event.consequence : 'for' in event ? event.for : '';
    const name = `${keyPrefix}told:${event.type}:${detail}:${what}`;
    if (await store.setIfAbsent(name, '', windowMillis)) await tell(event);
  }

  /** The groups whose share of used codes is judged. */
  function scopesOf(recipient: string): string[] {
    const region = regionOf(recipient);
    const prefix = prefixOf(recipient);
    return [...(region === null ? [] : [`region:${region}`]), ...(prefix === null ? [] : [`prefix:${prefix}`])];
  }

  /** Resets the recipient's own budget. */
  async function resetSends(tag: string): Promise<void> {
    const names = [nameOf.hour(tag), nameOf.day(tag)].map((name) => keyPrefix + name);
    await Promise.all([turns.reset(tag), ...names.map((name) => store.delete(name))]);
  }

  /** A sign-in resets the recipient's own budget, a few times a day. */
  async function resetOnce(tag: string): Promise<void> {
    const count = { key: keyPrefix + nameOf.resets(tag), by: 1, ttlMillis: DAY_MILLIS, most: MAX_RESETS };
    const deleted = [nameOf.hour(tag), nameOf.day(tag)].map((name) => ({ key: keyPrefix + name, value: null }));
    if (store.changeAll !== undefined) {
      await store.changeAll([count, turns.resetting(tag), ...deleted]);
      return;
    }
    const { value } = await counters.add(nameOf.resets(tag), DAY_MILLIS);
    if (value <= MAX_RESETS) await resetSends(tag);
  }

  /** A right code, and what else is known from its check. */
  interface FoundCode {
    readonly recipient: string;
    readonly networks: readonly string[];
    readonly right: LiveCode;
    readonly guess: CountedGuess;
    /** The handle of this code alone. Null: none, or one for every code. */
    readonly handleTag: string | null;
  }

  /** Uses the code up, and reverts its counts. A failure after that must not fail the sign-in. */
  async function use({ recipient, networks, right, handleTag }: FoundCode): Promise<boolean> {
    const [taken, peeked] = await Promise.allSettled([
      right.take(),
      // A handle for every code may have been compared with codes that did not belong to its holder.
      handleTag === null ? 0 : counters.peek(nameOf.mistakes(handleTag)),
    ]);
    if (taken.status === 'rejected') throw taken.reason;
    if (!taken.value) return false;
    const tag = codes.tagOf(recipient);
    const { networks: sentFrom, isNewRecipient, sentAt } = right.entry;
    const forgive = async () => {
      if (peeked.status === 'rejected') throw peeked.reason;
      await wrongCodes.forgive(tag, networks, peeked.value);
    };
    const results = await Promise.allSettled([
      store.set(nameOf.known(tag), '', KNOWN_MILLIS),
      budgets.giveBack(sentFrom, isNewRecipient),
      share.noteUsed(scopesOf(recipient), sentAt),
      resetOnce(tag),
      forgive(),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') log?.error({ err: result.reason }, 'a used code was not given back');
    }
    return true;
  }

  /** Counts an attempt, and compares. Null: the code is wrong. */
  async function compare(check: CodeCheck): Promise<FoundCode | null> {
    const { recipient, clientIp, purpose = null, hasCaptcha = () => false, ...typed } = check;
    const networks = networksOf(clientIp);
    const tag = codes.tagOf(assertRecipient(recipient));
    const code = normalizeCode(typed.code);
    const handle = textOf(typed.handle);
    const rules = await readPolicy();
    // Every handle causes the same reads, so that the time does not reveal an unknown one.
    const [bound, lives, epoch] = await Promise.all([
      codes.resolve(recipient, handle),
      codes.list(recipient),
      store.get(nameOf.epoch(tag)),
    ]);
    const fitting = lives.filter(({ entry }) => entry.purpose === null || entry.purpose === purpose);
    const own = bound === null || bound.target === EVERY_CODE ? null : bound.target;
    const isAny = own === null && !rules.requireHandle;
    const compared = isAny ? fitting : fitting.filter(({ entry }) => entry.id === own);
    const chances = compared.filter(({ entry }) => !entry.isLong && entry.digits === code.length).length;
    const validMillis = rules.validSeconds * 1000;
    // The counters of a handle live as long as the handle.
    const slowMillis = Math.max(rules.validSeconds, rules.resendSeconds, rules.slowResendSeconds) * 1000;
    // This also applies if the purpose does not fit. Otherwise the check would begin a window that ends before the
    // code.
    const ofHandle = lives.find(({ entry }) => entry.id === own);
    const endsAt = own === null ? now() + slowMillis : (ofHandle?.entry.expiresAt ?? 0);
    const handleMillis = Math.max(0, endsAt - now()) + MARGIN_MILLIS;
    const guess = await wrongCodes.reserve(
      {
        recipient,
        tag,
        networks,
        // An unknown handle counts as no handle: it ends only the attempts without a handle, of this network.
        attempts:
          bound === null
            ? { name: `tries:${tag}:${epoch ?? ''}:${networks[0]}`, windowMillis: validMillis }
            : { name: `tries:${bound.tag}`, windowMillis: handleMillis },
        chances,
        isLong: code.length === rules.longCodeLength,
        hasCaptcha,
      },
      rules,
    );
    if (guess === null) return null;
    // Every place is compared, including empty ones, so that the time reveals nothing.
    const places = [...compared, null, null, null].slice(0, 3);
    const right = places.filter((live) => codes.isRight(recipient, live?.entry ?? null, code))[0] ?? null;
    if (right === null) {
      if (bound !== null && own !== null && chances > 0) {
        await counters.add(nameOf.mistakes(bound.tag), handleMillis);
      }
      await guess.settleWrong();
      return null;
    }
    const handleTag = own === null ? null : (bound?.tag ?? null);
    return { recipient, networks, right, guess, handleTag };
  }

  const engine: OneTimeCodes<Context> = {
    explain: async (recipient) => explain(assertRecipient(recipient), await readPolicy()),
    isLive: async (recipient, id) => (await codes.list(recipient)).some(({ entry }) => entry.id === id),

    async send(request) {
      const { recipient, clientIp, hasCaptcha = () => false } = request;
      const networks = networksOf(clientIp);
      const tag = codes.tagOf(assertRecipient(recipient));
      const rules = await readPolicy();
      const scopes = scopesOf(recipient);
      const [known, repeats, isLow, first] = await Promise.all([
        store.get(nameOf.known(tag)),
        counters.peek(nameOf.repeats(tag)),
        share.isLow(scopes),
        messages.look(recipient, rules),
      ]);
      const isKnown = known !== null;
      let admission: Admission | null = null;
      try {
        const budgeted = { networks, region: regionOf(recipient), isKnown, isRepeated: repeats > 0 };
        admission = await budgets.draw(budgeted, rules);
        const maxSends = rules.recipientCaptchaAfter;
        const admitted = { request, rules, isNewRecipient: !isKnown, mayMessage: admission.mayMessage, maxSends };
        // The recipient's own limits come last, so that clients without a captcha can't use them up.
        let made = admission.asksCaptcha || isLow ? 'captcha' : await messages.make(admitted, first);
        if (made === 'captcha') {
          if ((await hasCaptcha()) !== true) throw new CodeCaptchaRequiredError();
          // A captcha may take long to check.
          made = await messages.make({ ...admitted, maxSends: null }, await messages.look(recipient, rules));
        }
        const { validSeconds, resendSeconds } = rules;
        if (made === null || made === 'captcha') {
          await admission.undo();
          const ttlMillis = Math.max(validSeconds, rules.slowResendSeconds) * 1000 + MARGIN_MILLIS;
          return { handle: await codes.bind(recipient, EVERY_CODE, ttlMillis), validSeconds, resendSeconds };
        }
        await messages.deliver(request, made, (tally) =>
          share.noteSent(scopes, rules, tally).catch((err) => log?.error({ err }, 'a sent code was not counted')),
        );
        return { handle: made.handle, validSeconds, resendSeconds };
      } catch (error) {
        await admission?.undo();
        throw error;
      }
    },

    async redeem(check) {
      const found = await compare(check);
      if (found === null) return false;
      // Both leave together. The wrong codes are reverted even if the code was used meanwhile.
      const settling = found.guess.settleRight();
      const isUsed = await use(found);
      await settling;
      return isUsed;
    },

    async check(check) {
      const found = await compare(check);
      if (found === null) return null;
      await found.guess.settleRight();
      return { redeem: () => use(found) };
    },

    async needsCaptcha({ clientIp, recipient }) {
      const networks = networksOf(clientIp);
      const tag = recipient === undefined ? null : codes.tagOf(assertRecipient(recipient));
      const rules = await readPolicy();
      const [send, check, sends, isLow] = await Promise.all([
        budgets.asksCaptcha(networks, recipient === undefined ? null : regionOf(recipient), rules),
        wrongCodes.asksCaptcha(networks, tag, rules),
        tag === null ? -1 : counters.peek(nameOf.hour(tag)),
        recipient === undefined ? false : share.isLow(scopesOf(recipient)),
      ]);
      return { send: send || isLow || sends >= rules.recipientCaptchaAfter, check };
    },

    async clear(recipient) {
      const tag = codes.tagOf(assertRecipient(recipient));
      const [endedCodes] = await Promise.all([
        codes.makePlace(recipient),
        resetSends(tag),
        ...[recipientLedger, nameOf.repeats, nameOf.resets].map((named) => store.delete(keyPrefix + named(tag))),
        store.set(nameOf.epoch(tag), randomUUID(), DAY_MILLIS),
      ]);
      return { endedCodes };
    },
  };
  return withCheckedArguments(engine);
}
