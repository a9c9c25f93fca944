import type { Scheduler } from 'fast-check';

/*
 * Processes whose every step is released by fast-check's scheduler, in an order of its choice. Requirement REL-13.
 */

/**
 * What becomes of a call: it is carried out, or rejects without an effect (`refused`), after its effect (`unheard`), or
 * before its effect, which comes later (`late`); or the process dies before the effect or after it.
 */
export type Fate = 'done' | 'refused' | 'unheard' | 'late' | 'dies before' | 'dies after';

/** A verb as a process calls it. */
export type Step = <Args extends unknown[], Result>(
  verb: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

export interface SteppedProcess {
  readonly step: Step;
  readonly isDead: boolean;
  /** The fate of the next call, for calls that are no single verb, such as transactions. */
  takeFate(): Fate;
  /** From now on no call has an effect, and none is answered. Never resolves. */
  die(): Promise<never>;
}

export interface Interleaving {
  /** Waits until the scheduler continues the caller. */
  turn(): Promise<void>;
  /** @param fates of the first calls; later ones are done */
  startProcess(fates: readonly Fate[]): SteppedProcess;
  /** Work that continues by itself, such as a transaction; in it, `turn` of the argument waits for the scheduler. */
  carryOut<Result>(work: (turn: () => Promise<void>) => Promise<Result>): Promise<Result>;
  /** Resolves when only a clock or a client could continue anything. */
  becomeQuiet(): Promise<void>;
  /** From now on nothing waits for the scheduler. */
  release(): Promise<void>;
}

/** A process dies by never hearing from the world again. */
export const SILENCE = new Promise<never>(() => {});

/** Idle turns of the event loop after which nothing more can be expected. */
const IDLE_TURNS = 3;

/** @param refusal what a call rejects with that is not answered */
export function createInterleaving(scheduler: Scheduler, refusal: () => Error): Interleaving {
  let isScheduled = true;
  let underWay = 0;

  const turn = async () => {
    if (isScheduled) await scheduler.schedule(Promise.resolve());
  };

  const turnUnderWay = async () => {
    underWay -= 1;
    try {
      await turn();
    } finally {
      underWay += 1;
    }
  };

  async function carryOut<Result>(work: (turn: () => Promise<void>) => Promise<Result>): Promise<Result> {
    underWay += 1;
    try {
      return await work(turnUnderWay);
    } finally {
      underWay -= 1;
    }
  }

  async function becomeQuiet(): Promise<void> {
    for (let idle = 0; idle < IDLE_TURNS; idle += 1) {
      if (isScheduled) await scheduler.waitIdle();
      await new Promise(setImmediate);
      if (underWay > 0 || scheduler.count() > 0) idle = -1;
    }
  }

  return {
    turn,
    carryOut,
    becomeQuiet,

    startProcess(fates) {
      let isDead = false;
      const left = [...fates];
      const takeFate = () => left.shift() ?? 'done';
      const die = () => {
        isDead = true;
        return SILENCE;
      };
      return {
        get isDead() {
          return isDead;
        },
        takeFate,
        die,
        step:
          (verb) =>
          async (...args) => {
            await turn();
            if (isDead) return SILENCE;
            const fate = takeFate();
            if (fate === 'dies before') return die();
            if (fate === 'late') carryOut((wait) => wait().then(() => verb(...args))).catch(() => {});
            if (fate === 'late' || fate === 'refused') throw refusal();
            const result = await carryOut(() => verb(...args));
            if (fate === 'dies after') return die();
            if (isDead) return SILENCE;
            if (fate === 'unheard') throw refusal();
            return result;
          },
      };
    },

    async release() {
      isScheduled = false;
      await becomeQuiet();
    },
  };
}

/** Passes every method through `step`. */
export function stepwise<Target extends object>(target: Target, step: Step): Target {
  const members = Object.entries(target).map(([name, member]) => [name, isVerb(member) ? step(member) : member]);
  return Object.fromEntries(members) as Target;
}

function isVerb(member: unknown): member is (...args: unknown[]) => Promise<unknown> {
  return typeof member === 'function';
}
