import { displayName } from '@sallyport/upload-policy';
import { describe, expect, it } from 'vitest';
import { isExploring } from '../../../../scripts/test-properties.js';
import { isLegibleName } from '../../src/http/name-schemas.js';
import { isUsername, normalizeUsername } from '../../src/modules/administrators/username.js';

/** What no name has, whatever the engine calls it: the examples of issue reports. */
const HIDDEN = [
  ...[0x00, 0x0a, 0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200d, 0x200e],
  ...[0x2028, 0x2029, 0x202e, 0x2060, 0x2064, 0x2066, 0x2069, 0x2800, 0x3164, 0xd800, 0xe000, 0xfe00, 0xfe0f, 0xfeff],
  ...[
    0xffa0, 0xfff9, 0xfffb, 0xfffc, 0xffff, 0x13441, 0x16fe4, 0x1bca0, 0x1d159, 0x1d173, 0xe0001, 0xe0020, 0xe0100,
    0x10fffd,
  ],
];

/** Shown file names keep what joins and styles emoji and letters, signs of numbers, and what is not assigned. */
const KEPT_IN_FILE_NAMES =
  /\u200c|\u200d|[\p{Variation_Selector}\p{Co}\p{Cn}]|(?!\p{Default_Ignorable_Code_Point})\p{Cf}/u;

/** The planes above have nothing but unassigned code points, those of private use, and the tags and selectors. */
const FIRST_EMPTY_PLANE = 0x40000;
const TAGS_AND_SELECTORS = { from: 0xe0000, to: 0xe1000 };

/** All of them. Where all are alike, one of many; `pnpm test:explore` takes each. */
function* codePoints(): Generator<string> {
  const stride = isExploring ? 1 : 61;
  const isAlike = (point: number) =>
    point >= FIRST_EMPTY_PLANE && !(point >= TAGS_AND_SELECTORS.from && point < TAGS_AND_SELECTORS.to);
  for (let point = 0; point <= 0x10ffff; point += isAlike(point) ? stride : 1) yield String.fromCodePoint(point);
}

const isBlank = (text: string) => /^[\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);

describe('names', () => {
  it('USR-6 no code point that is not seen passes, alone or within a name', () => {
    const passed: string[] = [];
    for (const point of codePoints()) {
      const isHidden =
        /[\p{C}\p{Zl}\p{Zp}\u2800]/u.test(point) ||
        /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/u.test(point) ||
        (/\p{White_Space}/u.test(point) && /[^\p{Zs}]/u.test(point));
      if (isHidden && (isLegibleName(`ad${point}min`) || isLegibleName(point))) passed.push(point);
      if (isBlank(point) && isLegibleName(point)) passed.push(point);
    }
    expect(passed.map((point) => point.codePointAt(0)?.toString(16))).toEqual([]);
    for (const point of HIDDEN)
      expect([point, isLegibleName(`a${String.fromCodePoint(point)}b`)]).toEqual([point, false]);
  });

  it('USR-6 letters, digits, punctuation, symbols and spaces of all scripts pass', () => {
    for (const name of [
      'Grace Hopper',
      '张　三',
      "O'Neill",
      'Zoë',
      'Ümit',
      '李 hua',
      'محمد',
      'नमस्ते',
      'ไทย',
      '😀',
      'a\u00a0b',
    ])
      expect([name, isLegibleName(name)]).toEqual([name, true]);
  });

  it('USR-6 a user name with any code point is refused, or shows that code point, or is another spelling of the rest', () => {
    const unseen: string[] = [];
    for (const point of codePoints()) {
      // Neither normalised nor legible.
      if (/[\p{Cn}\p{Co}]/u.test(point)) continue;
      const name = `ad${point}min`;
      if (isUsername(name) && (normalizeUsername(name) === 'admin' || !isLegibleName(normalizeUsername(name))))
        unseen.push(point);
    }
    expect(unseen).toEqual([]);
  });

  it('USR-6 UPL-7 shown file names have no hidden character, except for what joins emoji and letters', () => {
    const shown: string[] = [];
    for (const point of codePoints()) {
      if (KEPT_IN_FILE_NAMES.test(point) || isLegibleName(`a${point}b.txt`)) continue;
      if (!isLegibleName(displayName(`a${point}b.txt`))) shown.push(point);
    }
    expect(shown.map((point) => point.codePointAt(0)?.toString(16))).toEqual([]);
  });
});
