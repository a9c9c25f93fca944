import { randomUUID } from 'node:crypto';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import { assertRecipient, normalizeCode, textOf, withCheckedArguments } from './call-arguments.js';
import type { CodeRequest, OneTimeCodes } from './contract.js';
import { createCounters, DAY_MILLIS, HOUR_MILLIS } from './counters.js';
import { CodeCaptchaRequiredError } from './errors.js';
import type { OneTimeCodeEvent } from './events.js';
import { createExplanation } from './explain.js';
import { createWrongCodes, recipientLedger } from './guesses.js';
import { createLiveCodes, EVERY_CODE, type LiveCode } from './live-codes.js';
import { type OneTimeCodesOptions, readOneTimeCodesOptions } from './options.js';
import { createPolicyReader, type OneTimeCodePolicy } from './policy.js';
import { createSendBudgets, createTurns, createUsedShare, networksOf, type Turn } from './sending/index.js';

/** The lifetime of the mark of a recipient that has signed in, in days. The store allows 400. */
const KNOWN_MILLIS = 365 * DAY_MILLIS;

/** The time by which handles and their counters outlive the code, for clock differences between nodes and store. */
const MARGIN_MILLIS = 600_000;

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

  const nameOf = {
    hour: (tag: string) => `hour:${tag}`,
    day: (tag: string) => `day:${tag}`,
    /** Messages of an hour. A sign-in does not revert them, or the owner of a number could use up others' budgets. */
    repeats: (tag: string) => `repeats:${tag}`,
    known: (tag: string) => `${keyPrefix}known:${tag}`,
    resets: (tag: string) => `resets:${tag}`,
    /** Cleared together with a recipient. Each clear begins a new epoch of the counters without a handle. */
    epoch: (tag: string) => `${keyPrefix}epoch:${tag}`,
    mistakes: (handleTag: string) => `mistakes:${handleTag}`,
  };

  /** Resets the recipient's own budget. */
  async function resetSends(tag: string): Promise<void> {
    const names = [nameOf.hour(tag), nameOf.day(tag)].map((name) => keyPrefix + name);
    await Promise.all([turns.reset(tag), ...names.map((name) => store.delete(name))]);
  }

  /** Begins the interval in which the recipient gets no other message, and makes a code. Null: no message now. */
  async function makeCode(request: CodeRequest<Context>, rules: OneTimeCodePolicy, isNewRecipient: boolean) {
    const { recipient, clientIp, purpose = null } = request;
    const tag = codes.tagOf(recipient);
    const [messages, { isLong, isLongOnly }] = await Promise.all([
      counters.peek(nameOf.day(tag)),
      wrongCodes.needsLongCode(tag, rules),
    ]);
    const isSlow = messages >= rules.recipientDailyLimit;
    const interval = isSlow ? Math.max(rules.resendSeconds, rules.slowResendSeconds) : rules.resendSeconds;
    // A slow code is valid until the next one may be sent, so that its recipient always has a valid code.
    const validSeconds = isSlow ? Math.max(rules.validSeconds, interval) : rules.validSeconds;
    const turn = await turns.take(tag, { purpose, isLong }, interval * 1000);
    if (turn === null) return null;
    const plan = {
      digits: isLong ? rules.longCodeLength : rules.codeLength,
      isLong,
      purpose,
      sentAt: turn.sentAt,
      expiresAt: turn.sentAt + validSeconds * 1000,
      networks: networksOf(clientIp),
      isNewRecipient,
    };
    const made = await codes.add(recipient, plan, isLongOnly);
    if (made !== null) return { ...made, turn };
    await turn.giveBack();
    return null;
  }

  async function deliver(
    request: CodeRequest<Context>,
    made: { readonly code: string; readonly live: LiveCode; readonly turn: Turn },
  ) {
    // It is optional only if it may be undefined.
    const { recipient, context = undefined as Context } = request;
    const { id, purpose, sentAt, expiresAt } = made.live.entry;
    const tag = codes.tagOf(recipient);
    const counted = counters.tally();
    try {
      await Promise.all([counted.add(nameOf.day(tag), DAY_MILLIS), counted.add(nameOf.repeats(tag), HOUR_MILLIS)]);
      const handle = await codes.bind(recipient, id, expiresAt - sentAt + MARGIN_MILLIS);
      await given.send({ recipient, code: made.code, id, purpose, expiresAt, context });
      return handle;
    } catch (error) {
      await Promise.allSettled([counted.undo(), made.live.take(), made.turn.giveBack()]);
      throw error;
    }
  }

  /** Reverts the counts of a used code. The code is already used up, so a failure here must not fail the sign-in. */
  async function settleUse(recipient: string, live: LiveCode, handleTag: string | null, networks: readonly string[]) {
    const tag = codes.tagOf(recipient);
    const { networks: sentFrom, isNewRecipient, sentAt } = live.entry;
    const resetOwn = async () => {
      const { value } = await counters.add(nameOf.resets(tag), DAY_MILLIS);
      if (value <= MAX_RESETS) await resetSends(tag);
    };
    const forgive = async () => {
      // A handle for every code may have been compared with codes that did not belong to its holder.
      const mistakes = handleTag === null ? 0 : await counters.peek(nameOf.mistakes(handleTag));
      await wrongCodes.forgive(tag, networks, mistakes);
    };
    const results = await Promise.allSettled([
      store.set(nameOf.known(tag), '', KNOWN_MILLIS),
      budgets.giveBack(sentFrom, isNewRecipient),
      share.noteUsed(scopesOf(recipient), sentAt),
      resetOwn(),
      forgive(),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') log?.error({ err: result.reason }, 'a used code was not given back');
    }
  }

  const engine: OneTimeCodes<Context> = {
    explain: async (recipient) => explain(assertRecipient(recipient), await readPolicy()),
    isLive: async (recipient, id) => (await codes.list(recipient)).some(({ entry }) => entry.id === id),

    async send(request) {
      const { recipient, clientIp, hasCaptcha = () => false } = request;
      const networks = networksOf(clientIp);
      const tag = codes.tagOf(assertRecipient(recipient));
      const rules = await readPolicy();
      const [known, repeats] = await Promise.all([store.get(nameOf.known(tag)), counters.peek(nameOf.repeats(tag))]);
      const isKnown = known !== null;
      const region = regionOf(recipient);
      const admission = await budgets.draw({ networks, region, isKnown, isRepeated: repeats > 0 }, rules);
      const own = counters.tally();
      try {
        const scopes = scopesOf(recipient);
        const [sends, isLow] = await Promise.all([own.add(nameOf.hour(tag), HOUR_MILLIS), share.isLow(scopes)]);
        const asksCaptcha = admission.asksCaptcha || isLow || sends.value > rules.recipientCaptchaAfter;
        if (asksCaptcha && (await hasCaptcha()) !== true) throw new CodeCaptchaRequiredError();
        // The recipient's own limits come last, so that clients without a captcha can't use them up.
        const made = admission.mayMessage ? await makeCode(request, rules, !isKnown) : null;
        const { validSeconds, resendSeconds } = rules;
        if (made === null) {
          // A send without a message does not count in the budgets. It stays counted for its recipient.
          await admission.undo();
          const ttlMillis = Math.max(validSeconds, rules.slowResendSeconds) * 1000 + MARGIN_MILLIS;
          return { handle: await codes.bind(recipient, EVERY_CODE, ttlMillis), validSeconds, resendSeconds };
        }
        const handle = await deliver(request, made);
        await share.noteSent(scopes, rules).catch((err) => log?.error({ err }, 'a sent code was not counted'));
        return { handle, validSeconds, resendSeconds };
      } catch (error) {
        await Promise.all([admission.undo(), own.undo()]);
        throw error;
      }
    },

    redeem: async (check) => (await (await engine.check(check))?.redeem()) ?? false,

    async check({ recipient, clientIp, purpose = null, hasCaptcha = () => false, ...typed }) {
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
      const compared = own === null ? fitting : fitting.filter(({ entry }) => entry.id === own);
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
      await guess.settleRight();
      return {
        async redeem() {
          if (!(await right.take())) return false;
          await settleUse(recipient, right, own === null ? null : (bound?.tag ?? null), networks);
          return true;
        },
      };
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
