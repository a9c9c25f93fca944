import { randomFillSync } from 'node:crypto';

/** Numbers that can't be predicted from earlier pictures. */
export interface Random {
  /** From `min`, included, to `max`, excluded. */
  between(min: number, max: number): number;
  /** A number around zero, at most `limit` away from it, and more often near zero than far from it. */
  about(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** 0 to 255 each. */
  bytes(count: number): Uint8Array;
}

/** A picture takes about 1000 numbers. One call of the generator for each would take longer than the drawing. */
const NUMBERS_AT_ONCE = 1024;

const RANGE = 2 ** 32;

/** Draws from the generator of `node:crypto`. */
export function createRandom(): Random {
  const numbers = new Uint32Array(NUMBERS_AT_ONCE);
  let next = NUMBERS_AT_ONCE;

  function fraction(): number {
    if (next === NUMBERS_AT_ONCE) {
      randomFillSync(numbers);
      next = 0;
    }
    const number = numbers[next]!;
    next += 1;
    return number / RANGE;
  }

  return {
    between: (min, max) => min + (max - min) * fraction(),
    about: (limit) => limit * (fraction() + fraction() + fraction() - 1.5) * (2 / 3),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)]!,
    bytes: (count) => randomFillSync(new Uint8Array(count)),
  };
}
