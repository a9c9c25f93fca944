import type { Counter, TtlStore } from '@sallyport/ttl-store';
import { type Counters, DAY_MILLIS, HOUR_MILLIS, type Tally } from '../counters.js';
import type { WrongCodes } from '../guesses.js';
import type { LiveCode, LiveCodes, NewCode, PlacedCode } from '../live-codes.js';
import type { Names } from '../names.js';
import type { OneTimeCodesOptions } from '../options.js';
import type { OneTimeCodePolicy } from '../policy.js';
import { networksOf } from './client-networks.js';
import type { Turn, TurnNames, Turns } from './turns.js';

/** The time by which handles and their counters outlive the code, for clock differences between nodes and store. */
export const MARGIN_MILLIS = 600_000;

/** The part of a send that its message needs. */
export interface MessageRequest<Context> {
  readonly recipient: string;
  readonly clientIp: string;
  readonly purpose?: string | null;
  readonly context?: Context;
}

/** The facts that decide about the next message to a recipient. */
export interface Outlook {
  /** The messages of the day. */
  readonly messages: number;
  readonly needs: { readonly isLong: boolean; readonly isLongOnly: boolean };
  readonly turnNames: TurnNames;
  readonly present: readonly PlacedCode[];
}

/** A code that may be delivered. */
export interface MadeCode {
  readonly code: string;
  readonly live: LiveCode;
  readonly turn: Turn;
  readonly handle: string;
  /** Its message, counted for the recipient. */
  readonly counted: Tally;
}

export interface MessagesOptions<Context> {
  readonly store: Pick<TtlStore, 'changeAll'>;
  readonly keyPrefix: string;
  readonly counters: Counters;
  readonly codes: LiveCodes;
  readonly turns: Turns;
  readonly wrongCodes: Pick<WrongCodes, 'needsLongCode'>;
  readonly names: Names;
  readonly send: OneTimeCodesOptions<Context>['send'];
}

/** The messages to recipients: one per interval, each with a code. */
export function createMessages<Context>(options: MessagesOptions<Context>) {
  const { store, keyPrefix, counters, codes, turns, wrongCodes, names, send } = options;

  async function look(recipient: string, rules: OneTimeCodePolicy): Promise<Outlook> {
    const tag = codes.tagOf(recipient);
    const [messages, needs, turnNames, present] = await Promise.all([
      counters.peek(names.day(tag)),
      wrongCodes.needsLongCode(tag, rules),
      turns.look(tag),
      codes.list(recipient),
    ]);
    return { messages, needs, turnNames, present };
  }

  const countsOf = (tag: string) => [
    { name: names.day(tag), windowMillis: DAY_MILLIS },
    { name: names.repeats(tag), windowMillis: HOUR_MILLIS },
  ];

  interface Plan {
    readonly recipient: string;
    readonly intervalMillis: number;
    readonly isLongOnly: boolean;
    readonly newCodeAt: (sentAt: number) => NewCode;
  }

  function planOf(
    { recipient, clientIp, purpose = null }: MessageRequest<Context>,
    rules: OneTimeCodePolicy,
    isNewRecipient: boolean,
    { messages, needs: { isLong, isLongOnly } }: Outlook,
  ): Plan {
    const isSlow = messages >= rules.recipientDailyLimit;
    const interval = isSlow ? Math.max(rules.resendSeconds, rules.slowResendSeconds) : rules.resendSeconds;
    // A slow code is valid until the next one may be sent, so that its recipient always has a valid code.
    const validSeconds = isSlow ? Math.max(rules.validSeconds, interval) : rules.validSeconds;
    return {
      recipient,
      intervalMillis: interval * 1000,
      isLongOnly,
      newCodeAt: (sentAt) => ({
        digits: isLong ? rules.longCodeLength : rules.codeLength,
        isLong,
        purpose,
        sentAt,
        expiresAt: sentAt + validSeconds * 1000,
        networks: networksOf(clientIp),
        isNewRecipient,
      }),
    };
  }

  const handleMillisOf = ({ entry }: LiveCode) => entry.expiresAt - entry.sentAt + MARGIN_MILLIS;

  /**
   * Begins the interval, makes the code and its handle, and counts the message, in one call of the store. `unknown`:
   * the store can't do that, or something has changed since the look.
   */
  async function makeTogether(plan: Plan, { turnNames, present }: Outlook): Promise<MadeCode | null | 'unknown'> {
    if (store.changeAll === undefined) return 'unknown';
    const tag = codes.tagOf(plan.recipient);
    const { purpose, isLong } = plan.newCodeAt(0);
    const { turn, changes: ofTurn } = turns.plan(tag, turnNames, { purpose, isLong }, plan.intervalMillis);
    const planned = codes.plan(plan.recipient, plan.newCodeAt(turn.sentAt), plan.isLongOnly, present);
    if (planned === null) return 'unknown';
    const { code, live } = planned;
    const binding = codes.binding(plan.recipient, live.entry.id, handleMillisOf(live));
    const counts = countsOf(tag);
    const changed = await store.changeAll([
      ...counts.map(({ name, windowMillis }) => ({ key: keyPrefix + name, by: 1, ttlMillis: windowMillis })),
      ...ofTurn,
      ...planned.changes,
      binding.change,
    ]);
    if (!changed.done) {
      const [generation, running] = changed.values.slice(counts.length);
      return generation === turnNames.generation && running !== null ? null : 'unknown';
    }
    const counted = counters.tally();
    for (const [index, count] of counts.entries()) counted.include(count, changed.counters[index] as Counter);
    return { code, live, turn, handle: binding.handle, counted };
  }

  /** The same, in several calls. */
  async function makeInTurn(plan: Plan): Promise<MadeCode | null> {
    const tag = codes.tagOf(plan.recipient);
    const turn = await turns.take(tag, plan.newCodeAt(0), plan.intervalMillis);
    if (turn === null) return null;
    const made = await codes.add(plan.recipient, plan.newCodeAt(turn.sentAt), plan.isLongOnly);
    if (made === null) {
      await turn.giveBack();
      return null;
    }
    const counted = counters.tally();
    try {
      const [handle] = await Promise.all([
        codes.bind(plan.recipient, made.live.entry.id, handleMillisOf(made.live)),
        ...countsOf(tag).map(({ name, windowMillis }) => counted.add(name, windowMillis)),
      ]);
      return { ...made, turn, handle, counted };
    } catch (error) {
      await withdraw({ ...made, turn, counted });
      throw error;
    }
  }

  async function withdraw({ counted, live, turn }: Pick<MadeCode, 'counted' | 'live' | 'turn'>): Promise<void> {
    await Promise.allSettled([counted.undo(), live.take(), turn.giveBack()]);
  }

  return {
    look,

    /** Begins the interval in which the recipient gets no other message, and makes a code. Null: no message now. */
    async make(
      request: MessageRequest<Context>,
      rules: OneTimeCodePolicy,
      isNewRecipient: boolean,
      outlook: Outlook,
    ): Promise<MadeCode | null> {
      const made = await makeTogether(planOf(request, rules, isNewRecipient, outlook), outlook);
      if (made !== 'unknown') return made;
      // Without the joint call, the outlook is read again, because it may be old.
      return makeInTurn(planOf(request, rules, isNewRecipient, await look(request.recipient, rules)));
    },

    /** If the option `send` rejects, the code is withdrawn, and nothing is counted. */
    async deliver(
      request: MessageRequest<Context>,
      made: MadeCode,
      noteSent: (tally: Tally) => Promise<void>,
    ): Promise<void> {
      // It is optional only if it may be undefined.
      const { recipient, context = undefined as Context } = request;
      const { id, purpose, expiresAt } = made.live.entry;
      // Both have ended before the counts are reverted.
      const sending = (async () => send({ recipient, code: made.code, id, purpose, expiresAt, context }))();
      const [sent] = await Promise.allSettled([sending, noteSent(made.counted)]);
      if (sent.status === 'fulfilled') return;
      await withdraw(made);
      throw sent.reason;
    },
  };
}
