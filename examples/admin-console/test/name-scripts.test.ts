import { describe, expect, it } from 'vitest';
import { isHighlyRestrictive } from '../src/names/scripts.js';

describe('scripts of names', () => {
  it.each([
    ['admin', true],
    ['Zoë 2', true],
    ['李华', true],
    ['李 hua (财务)', true],
    ['山田 たろう タロー taro', true],
    ['김 Kim', true],
    ['Дмитрий', true],
    ['Дмитрий Ivanov', false],
    ['\u0430dmin', false],
    ['ἀλέξανδρος', true],
    ['αdmin', false],
    ['محمد', true],
    ['ᎪᎠᎷ', false],
    ['김 たろう', false],
    ['🙂 _-.@7', true],
    ['', true],
  ])('USR-6 %j: %s', (name, isMeant) => expect(isHighlyRestrictive(name)).toBe(isMeant));
});
