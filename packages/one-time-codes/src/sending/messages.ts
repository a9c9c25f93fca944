import type { Counter, TtlStore } from '@sallyport/ttl-store';
import { type Count, type Counters, DAY_MILLIS, HOUR_MILLIS, type Tally } from '../counters.js';
import type { WrongCodes } from '../guesses.js';
import type { LiveCode, LiveCodes, NewCode, PlacedCode } from '../live-codes.js';
import type { Names } from '../names.js';
import type { OneTimeCodesOptions } from '../options.js';
import type { OneTimeCodePolicy } from '../policy.js';
import { networksOf } from './client-networks.js';
import type { Turn, TurnClass, TurnNames, Turns } from './turns.js';

/** The time by which handles and their counters outlive the code, for clock differences between nodes and store. */
export const MARGIN_MILLIS = 600_000;

/** The part of a send that its message needs. */
export interface MessageRequest<Context> {
  readonly recipient: string;
  readonly clientIp: string;
  readonly purpose?: string | null;
  readonly context?: Context;
}

/** A send that the budgets have admitted. */
export interface AdmittedSend<Context> {
  readonly request: MessageRequest<Context>;
  readonly rules: OneTimeCodePolicy;
  readonly isNewRecipient: boolean;
  /** False: it counts, but brings no message. */
  readonly mayMessage: boolean;
  /** The sends of the recipient in an hour up to which it is admitted. Null: any, since a captcha was answered. */
  readonly maxSends: number | null;
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

/** Null: no message now. `captcha`: the recipient has had its sends without one; nothing was counted or begun. */
export type Made = MadeCode | null | 'captcha';

export interface MessagesOptions<Context> {
  readonly store: Pick<TtlStore, 'changeAll'>;
  readonly keyPrefix: string;
  readonly counters: Counters;
  readonly codes: LiveCodes;
  readonly turns: Turns;
  readonly wrongCodes: Pick<WrongCodes, 'needsLongCode'>;
  readonly names: Names;
  readonly now: () => number;
  readonly send: OneTimeCodesOptions<Context>['send'];
}

/** The messages to recipients: one per interval, each with a code. */
export function createMessages<Context>(options: MessagesOptions<Context>) {
  const { store, keyPrefix, counters, codes, turns, wrongCodes, names, now, send } = options;

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

  const countsOf = (tag: string): Count[] => [
    { name: names.hour(tag), windowMillis: HOUR_MILLIS },
    { name: names.day(tag), windowMillis: DAY_MILLIS },
    { name: names.repeats(tag), windowMillis: HOUR_MILLIS },
  ];

  interface Plan {
    readonly recipient: string;
    readonly turnClass: TurnClass;
    readonly intervalMillis: number;
    /** The interval in which a second send does not count. */
    readonly resendMillis: number;
    readonly maxSends: number | null;
    readonly isLongOnly: boolean;
    readonly newCodeAt: (sentAt: number) => NewCode;
  }

  function planOf(
    { request, rules, isNewRecipient, maxSends }: AdmittedSend<Context>,
    { messages, needs: { isLong, isLongOnly } }: Outlook,
  ): Plan {
    const { recipient, clientIp, purpose = null } = request;
    const isSlow = messages >= rules.recipientDailyLimit;
    const interval = isSlow ? Math.max(rules.resendSeconds, rules.slowResendSeconds) : rules.resendSeconds;
    // A slow code is valid until the next one may be sent, so that its recipient always has a valid code.
    const validSeconds = isSlow ? Math.max(rules.validSeconds, interval) : rules.validSeconds;
    return {
      recipient,
      turnClass: { purpose, isLong },
      intervalMillis: interval * 1000,
      resendMillis: rules.resendSeconds * 1000,
      maxSends,
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
   * Whether the message of the running interval makes this send a repeated one: a double click, which counts once
   * (OTC-4). The interval may be the slow one, which is longer.
   */
  const isRepeated = ({ intervalMillis, resendMillis }: Plan, runningSince: number) =>
    intervalMillis <= resendMillis || now() - runningSince < resendMillis;

  const isOver = ({ maxSends }: Plan, sends: number) => maxSends !== null && sends > maxSends;

  /**
   * Counts a send that brings no message, unless it is a repeated one. It counts as one with a message does, because a
   * difference would tell a stranger who has signed in before.
   */
  async function countQuiet(plan: Plan): Promise<null | 'captcha'> {
    const tag = codes.tagOf(plan.recipient);
    const [{ runningSince, isQuiet }, present] = await Promise.all([
      turns.read(tag, plan.turnClass),
      counters.peek(names.hour(tag)),
    ]);
    if (isQuiet || (runningSince !== null && isRepeated(plan, runningSince))) return null;
    // A refused send leaves no mark, not even for a moment, by which another one would be taken for a repeated one.
    if (isOver(plan, present + 1)) return 'captcha';
    const mark = await turns.markQuiet(tag, plan.turnClass, plan.resendMillis);
    if (mark === null) return null;
    const sends = counters.tally();
    const { value } = await sends.add(names.hour(tag), HOUR_MILLIS);
    if (!isOver(plan, value)) return null;
    await Promise.allSettled([sends.undo(), mark.remove()]);
    return 'captcha';
  }

  /**
   * Begins the interval, makes the code and its handle, and counts the message, in one call of the store. `unknown`:
   * the store can't do that, or something has changed since the look.
   */
  async function makeTogether(plan: Plan, { turnNames, present }: Outlook): Promise<Made | 'unknown'> {
    if (store.changeAll === undefined) return 'unknown';
    const tag = codes.tagOf(plan.recipient);
    const { turn, changes: ofTurn } = turns.plan(tag, turnNames, plan.turnClass, plan.intervalMillis);
    const planned = codes.plan(plan.recipient, plan.newCodeAt(turn.sentAt), plan.isLongOnly, present);
    if (planned === null) return 'unknown';
    const { code, live } = planned;
    const binding = codes.binding(plan.recipient, live.entry.id, handleMillisOf(live));
    const counts = countsOf(tag);
    const changed = await store.changeAll([
      ...counts.map(({ name, windowMillis }, index) => {
        const count = { key: keyPrefix + name, by: 1, ttlMillis: windowMillis };
        return index === 0 && plan.maxSends !== null ? { ...count, most: plan.maxSends } : count;
      }),
      ...ofTurn,
      ...planned.changes,
      binding.change,
    ]);
    if (!changed.done) {
      const [generation, running = null] = changed.values.slice(counts.length);
      if (generation !== turnNames.generation) return 'unknown';
      if (running !== null) return isRepeated(plan, Number(running)) ? null : countQuiet(plan);
      return isOver(plan, Number(changed.values[0] ?? 0) + 1) ? 'captcha' : 'unknown';
    }
    const counted = counters.tally();
    for (const [index, count] of counts.entries()) counted.include(count, changed.counters[index] as Counter);
    return { code, live, turn, handle: binding.handle, counted };
  }

  /** The same, in several calls. */
  async function makeInTurn(plan: Plan): Promise<Made> {
    const tag = codes.tagOf(plan.recipient);
    // A send that is about to be refused begins no interval, for the reason in `countQuiet`.
    if (isOver(plan, (await counters.peek(names.hour(tag))) + 1)) return countQuiet(plan);
    const turn = await turns.take(tag, plan.turnClass, plan.intervalMillis);
    if (turn === null) return countQuiet(plan);
    const made = await codes.add(plan.recipient, plan.newCodeAt(turn.sentAt), plan.isLongOnly);
    if (made === null) {
      await turn.giveBack();
      return countQuiet(plan);
    }
    const counted = counters.tally();
    try {
      const [handle, sends] = await Promise.all([
        codes.bind(plan.recipient, made.live.entry.id, handleMillisOf(made.live)),
        ...countsOf(tag).map(({ name, windowMillis }) => counted.add(name, windowMillis)),
      ]);
      if (isOver(plan, sends!.value)) {
        await withdraw({ ...made, turn, counted });
        return 'captcha';
      }
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

    /** Begins the interval in which the recipient gets no other message, makes a code, and counts both. */
    async make(send: AdmittedSend<Context>, outlook: Outlook): Promise<Made> {
      if (!send.mayMessage) return countQuiet(planOf(send, outlook));
      const made = await makeTogether(planOf(send, outlook), outlook);
      if (made !== 'unknown') return made;
      // Without the joint call, the outlook is read again, because it may be old.
      return makeInTurn(planOf(send, await look(send.request.recipient, send.rules)));
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
