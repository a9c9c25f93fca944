import type { Counter } from '@sallyport/ttl-store';
import { type Count, type Counters, HOUR_MILLIS, type Tally } from '../counters.js';
import { CodeSendLimitedError } from '../errors.js';
import type { OneTimeCodeEvent } from '../events.js';
import type { OneTimeCodePolicy } from '../policy.js';

/** The properties of a send that the budgets need. */
export interface BudgetedSend {
  /** The networks of the client, the narrowest first. */
  readonly networks: readonly string[];
  /** Null: the recipient has no region, so only the overall budget counts. */
  readonly region: string | null;
  /** Whether the recipient has signed in before. */
  readonly isKnown: boolean;
  /** Whether the recipient got a message within the hour, even if it has signed in since. */
  readonly isRepeated: boolean;
}

export interface Admission {
  /** Whether the budgets ask for a captcha. It does not depend on the recipient. */
  readonly asksCaptcha: boolean;
  /**
   * False: the half of a budget that is open to new recipients is used up. No message may be sent, but the result must
   * be the same, because a refusal would reveal that the recipient has never signed in.
   */
  readonly mayMessage: boolean;
  /** Reverts all counts, for a send without a message. */
  undo(): Promise<void>;
}

export interface SendBudgets {
  /** @throws {CodeSendLimitedError} if a budget is used up for everyone */
  draw(send: BudgetedSend, rules: OneTimeCodePolicy): Promise<Admission>;
  /** Whether the next send of these networks to a region needs a captcha. Null: to any region. */
  asksCaptcha(networks: readonly string[], region: string | null, rules: OneTimeCodePolicy): Promise<boolean>;
  /** A used code was not abuse, so its send is not counted for its networks. */
  giveBack(networks: readonly string[], isNewRecipient: boolean): Promise<void>;
}

export interface SendBudgetOptions {
  readonly counters: Counters;
  /** Reports an event once per window. */
  readonly tellOnce: (event: OneTimeCodeEvent, windowMillis: number) => Promise<void>;
}

/** OTC-2: half of each budget is for recipients that have signed in before. */
const NEW_SHARE = 1 / 2;

/**
 * A network with more sends than `captchaAfter` may use only this part of the budget of its class. The same applies to
 * repeated sends to one recipient. Thus a pumping attack from a few networks, or to a few numbers of the attacker that
 * have signed in, leaves the rest to everyone else.
 */
const LOUD_SHARE_NEW = 1 / 2;
const LOUD_SHARE_KNOWN = 3 / 4;

/** Beyond this part of a budget each send needs a captcha. It is half of the part for new recipients. */
const CAPTCHA_SHARE = 1 / 4;

const networkName = (network: string) => `from:${network}`;
const newName = (name: string) => `${name}:new`;

interface Draw {
  readonly count: number;
  readonly isOver: boolean;
  readonly isOverForNew: boolean;
  readonly remainingMillis: number;
}

/** The sums of a budget after a send was counted. */
interface Sums {
  readonly all: Counter;
  /** Null for a known recipient. */
  readonly fresh: Counter | null;
}

/** It decides which part of a budget a send may use. */
interface SenderClass {
  readonly isKnown: boolean;
  readonly isLoud: boolean;
}

const openTo = (limit: number, { isLoud }: SenderClass) => Math.ceil(limit * (isLoud ? LOUD_SHARE_KNOWN : 1));

/** Known recipients count against the whole budget. New ones also count against the part that is open to them. */
function judge({ all, fresh }: Sums, limit: number, sender: SenderClass): Draw {
  const openToNew = Math.ceil(limit * NEW_SHARE * (sender.isLoud ? LOUD_SHARE_NEW : 1));
  return {
    count: all.value,
    isOver: all.value > openTo(limit, sender),
    isOverForNew: fresh !== null && fresh.value > openToNew,
    remainingMillis: all.remainingMillis,
  };
}

/** Budgets of sends per hour. Counted before they are compared, so that parallel sends can't exceed. */
export function createSendBudgets({ counters, tellOnce }: SendBudgetOptions): SendBudgets {
  async function addTo(tally: Tally, name: string, isKnown: boolean): Promise<Sums> {
    const [all, fresh] = await Promise.all([
      tally.add(name, HOUR_MILLIS),
      isKnown ? null : tally.add(newName(name), HOUR_MILLIS),
    ]);
    return { all, fresh };
  }

  /**
   * Counts in all of them at once, or in none if a network is over its limit: the send of such a network never counts
   * for the others. Null: it was not counted.
   */
  async function addToAll(
    tally: Tally,
    names: readonly { readonly name: string; readonly most?: number }[],
    isKnown: boolean,
  ): Promise<readonly Sums[] | null> {
    const counts = names.flatMap<Count>(({ name, ...bound }) => [
      { name, windowMillis: HOUR_MILLIS, ...bound },
      ...(isKnown ? [] : [{ name: newName(name), windowMillis: HOUR_MILLIS }]),
    ]);
    const made = await counters.addTogether(counts);
    if (made === null) return null;
    for (const [index, count] of counts.entries()) tally.include(count, made[index]!);
    const perName = counts.length / names.length;
    return names.map((_, index) => ({
      all: made[index * perName]!,
      fresh: isKnown ? null : made[index * perName + 1]!,
    }));
  }

  return {
    async draw({ networks, region, isKnown, isRepeated }, rules) {
      const tally = counters.tally();
      const { undo } = tally;
      const budgets = [
        { name: 'overall', limit: rules.overallHourlyLimit },
        ...(region === null ? [] : [{ name: `region:${region}`, limit: rules.regionHourlyLimit }]),
      ];
      const own = { isKnown, isLoud: isKnown && isRepeated };
      const most = openTo(rules.ipHourlyLimit, own);
      try {
        const ofNetwork = networks.map((network) => ({ name: networkName(network), most }));
        const together = await addToAll(tally, [...ofNetwork, ...budgets.map(({ name }) => ({ name }))], isKnown);
        // All counts complete before one refuses, so that all can be reverted.
        const networkSums =
          together?.slice(0, networks.length) ??
          (await Promise.all(ofNetwork.map(({ name }) => addTo(tally, name, isKnown))));
        const ofNetworks = networkSums.map((sums) => judge(sums, rules.ipHourlyLimit, own));
        const refusing = ofNetworks.find(({ isOver }) => isOver);
        if (refusing !== undefined) throw new CodeSendLimitedError(refusing.remainingMillis);
        const isLoud = ofNetworks.some(({ count }) => count > rules.captchaAfter);

        const budgetSums =
          together?.slice(networks.length) ??
          (await Promise.all(budgets.map(({ name }) => addTo(tally, name, isKnown))));
        const sender = { isKnown, isLoud: isLoud || own.isLoud };
        const draws = budgets.map(({ limit }, index) => judge(budgetSums[index]!, limit, sender));
        for (const [index, { isOver, isOverForNew, remainingMillis }] of draws.entries()) {
          if (!isOver && !isOverForNew) continue;
          const scope = budgets[index]!.name;
          await tellOnce({ type: 'budget-used-up', scope, for: isOver ? 'all' : 'new-recipients' }, remainingMillis);
        }
        const over = draws.find(({ isOver }) => isOver);
        if (over !== undefined) throw new CodeSendLimitedError(over.remainingMillis);

        const mayMessage = ![...ofNetworks, ...draws].some(({ isOverForNew }) => isOverForNew);
        return {
          mayMessage,
          asksCaptcha: isLoud || draws.some(({ count }, index) => count > budgets[index]!.limit * CAPTCHA_SHARE),
          undo,
        };
      } catch (error) {
        await undo();
        throw error;
      }
    },

    async asksCaptcha(networks, region, rules) {
      const [overall, ofRegion, ...own] = await Promise.all([
        counters.peek('overall'),
        region === null ? 0 : counters.peek(`region:${region}`),
        ...networks.map((network) => counters.peek(networkName(network))),
      ]);
      const isLoud = own.some((count) => count >= rules.captchaAfter);
      const isBusy = overall >= rules.overallHourlyLimit * CAPTCHA_SHARE;
      return isLoud || isBusy || (region !== null && ofRegion >= rules.regionHourlyLimit * CAPTCHA_SHARE);
    },

    async giveBack(networks, isNewRecipient) {
      const names = networks.map(networkName).flatMap((name) => (isNewRecipient ? [name, newName(name)] : [name]));
      await Promise.all(names.map((name) => counters.giveBack(name, HOUR_MILLIS, 1)));
    },
  };
}
