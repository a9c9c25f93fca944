/** A point in the letter's box: x to the right, y from its top, 0, to its baseline, 1. */
export type Point = readonly [x: number, y: number];

/** The middle line of one movement of a pen, which is straight between its points, or a curve through them. */
export interface Stroke {
  readonly isCurve: boolean;
  readonly points: readonly Point[];
}

/**
 * The middle lines of every letter, in several forms each. Drawn for this package: no font is involved, so that widths,
 * serifs and proportions can vary with every picture.
 *
 * `L` is a straight stroke, `C` a curved one. Of letters that look alike when they are bent, only one is included: T
 * but neither 7 nor J, M and W but neither N nor V, K but neither H nor X, Y but not 4, S but not 5, 2 but not Z. Of
 * letters that differ by a single stroke, only the one with more strokes is included, because a line across the picture
 * could be that stroke: E but not F, R but not P, G but neither C nor 6. 0 O D Q, 1 I L, 8 B and U are also excluded.
 */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  A: ['L 0,1 .36,0 .72,1 | L .13,.64 .59,.64', 'C 0,1 .03,.42 .14,.1 .36,0 .58,.1 .69,.42 .72,1 | L .03,.6 .69,.6'],
  E: [
    'L .58,0 0,0 0,1 .6,1 | L 0,.48 .46,.48',
    'C .58,.13 .34,0 .08,.1 .1,.36 .38,.47 | C .38,.47 .06,.54 0,.82 .26,1 .6,.88',
    'C .05,.62 .6,.58 .58,.32 .34,.16 .08,.32 .02,.64 .18,.94 .42,1 .62,.88',
  ],
  G: [
    'C .64,.17 .4,0 .14,.1 .01,.46 .1,.87 .36,1 .58,.92 .66,.6 | L .36,.58 .68,.58',
    'C .64,.18 .4,0 .1,.12 .01,.5 .11,.88 .38,1 .64,.84 | L .36,.56 .66,.56 .66,1',
  ],
  K: [
    'L 0,0 0,1 | L .58,0 0,.6 | L .2,.4 .62,1',
    'L 0,0 0,1 | C .58,0 .38,.32 .02,.52 | C .06,.5 .36,.58 .46,.86 .66,1',
  ],
  M: [
    'L 0,1 .04,0 .42,.72 .8,0 .84,1',
    'L 0,1 0,0 .4,1 .8,0 .8,1',
    'L 0,0 0,1 | C 0,.36 .1,.06 .3,.04 .4,.3 .4,1 | C .4,.36 .5,.06 .7,.04 .8,.3 .8,1',
  ],
  R: [
    'L 0,1 0,0 | C 0,0 .34,0 .57,.1 .56,.4 .34,.52 0,.54 | L .28,.54 .62,1',
    'L 0,0 0,1 | C 0,.04 .3,-.03 .56,.1 .56,.36 .3,.5 .02,.52 | C .2,.5 .42,.6 .48,.86 .68,1',
  ],
  S: [
    'C .58,.14 .34,0 .06,.14 .1,.4 .34,.5 .58,.64 .56,.9 .28,1 0,.86',
    'C .6,.1 .4,.0 .12,.06 .04,.28 .2,.44 .44,.54 .6,.7 .5,.94 .24,1 .02,.9',
  ],
  T: ['L 0,0 .7,0 | L .35,0 .35,1', 'L 0,.18 .02,0 .68,0 .7,.18 | L .35,0 .35,1 | L .2,1 .5,1'],
  W: ['L 0,0 .22,1 .45,.24 .68,1 .9,0', 'C 0,0 .04,.6 .2,1 .36,.7 .46,.3 | C .44,.3 .52,.7 .68,1 .86,.6 .9,0'],
  Y: ['L 0,0 .33,.52 .66,0 | L .33,.52 .33,1', 'C 0,0 .06,.36 .32,.5 .58,.36 .64,0 | L .32,.5 .32,1'],
  '2': [
    'C .02,.24 .14,.02 .4,0 .56,.2 .46,.5 0,1 | L 0,1 .62,1',
    'C .02,.2 .2,0 .48,.06 .54,.3 .36,.62 .02,.98 | C .02,.98 .16,.86 .4,1 .64,.92',
  ],
  '3': [
    'C .04,.13 .26,0 .52,.1 .5,.36 .22,.47 | C .22,.47 .54,.52 .58,.82 .34,1 .02,.88',
    'L .04,0 .54,0 .24,.4 | C .24,.4 .52,.44 .6,.76 .36,1 .02,.9',
  ],
  '9': [
    'C .55,.3 .46,.04 .24,0 .05,.16 .06,.42 .26,.56 .46,.48 .55,.28 .57,.56 .46,.86 .2,1',
    'C .55,.3 .46,.04 .24,0 .05,.16 .06,.42 .26,.56 .46,.48 .55,.26 | L .55,.2 .46,1',
  ],
};

function readStroke(text: string): Stroke {
  const [kind, ...points] = text.trim().split(' ');
  return {
    isCurve: kind === 'C',
    points: points.map((point) => {
      const [x, y] = point.split(',').map(Number);
      return [x!, y!];
    }),
  };
}

/** The forms of each letter: a list of strokes each. */
export const LETTER_FORMS: ReadonlyMap<string, readonly (readonly Stroke[])[]> = new Map(
  Object.entries(FORMS).map(([letter, forms]) => [letter, forms.map((form) => form.split('|').map(readStroke))]),
);

/** The characters that a picture may show. None looks like another, or equals another with one more stroke. */
export const IMAGE_ALPHABET: string = [...LETTER_FORMS.keys()].join('');
