import type { Trace } from './canvas.js';
import { pointsAlong } from './curves.js';
import { LETTER_FORMS, type Point, type Stroke } from './letters.js';
import type { Random } from './random.js';

/** The style of the letters of a whole picture. */
export interface Hand {
  /** Half the width of its strokes, in pixels. */
  readonly radius: number;
  /** How much thinner strokes across the pen are than strokes along it, 0 to 1, and the angle of the pen. */
  readonly contrast: number;
  readonly penAngle: number;
  /** The probability that a stroke's end has a serif. */
  readonly serifs: number;
}

/** The height of a letter, in pixels, before it varies. */
const LETTER_HEIGHT = 58;

/** The distance by which a point of a letter is moved, as a fraction of the letter's height. */
const MAX_MOVE = 0.06;

/** The bends of a letter's inner proportions. They are exponents, so that 0 and 1 are not moved. */
const MAX_PROPORTION = 0.45;

const MAX_ROTATION = 0.3;
const MAX_SLANT = 0.3;

/** The style without variation. */
export const PLAIN_HAND: Hand = { radius: 2.4, contrast: 0, penAngle: 0, serifs: 0 };

export function varyHand(random: Random): Hand {
  return {
    radius: random.between(1.9, 2.7),
    contrast: random.between(0, 0.4),
    penAngle: random.between(0, Math.PI),
    serifs: random.pick([0, 0, 0, 0.4]),
  };
}

/** A letter about the origin: the middle of its box, in pixels. */
export function writeLetter(letter: string, hand: Hand, isVaried: boolean, random: Random): Trace[] {
  const forms = LETTER_FORMS.get(letter);
  if (forms === undefined) throw new RangeError('this character has no picture');
  const strokes = random.pick(forms);
  const shape = isVaried ? varyShape(strokes, random) : plainShape(strokes);
  const radius = isVaried ? hand.radius * random.between(0.85, 1.2) : hand.radius;
  return strokes.flatMap((stroke) => {
    const points = pointsAlong(isVaried ? varyStroke(stroke, random) : stroke).map(shape);
    const drawn = { points, radii: radiiAlong(points, radius, hand) };
    return [drawn, ...serifsOf(points, stroke, radius, hand, random)];
  });
}

type Shape = (point: Point) => Point;

function widthOf(strokes: readonly Stroke[]): number {
  return Math.max(...strokes.flatMap(({ points }) => points.map(([x]) => x)));
}

function plainShape(strokes: readonly Stroke[]): Shape {
  const middle = widthOf(strokes) / 2;
  return ([x, y]) => [(x - middle) * LETTER_HEIGHT, (y - 0.5) * LETTER_HEIGHT];
}

/** Size, proportions, slant and rotation. */
function varyShape(strokes: readonly Stroke[], random: Random): Shape {
  const width = widthOf(strokes);
  const scaleY = LETTER_HEIGHT * random.between(0.75, 1.1);
  const scaleX = scaleY * width * random.between(0.85, 1.25);
  const bendX = Math.exp(random.about(MAX_PROPORTION));
  const bendY = Math.exp(random.about(MAX_PROPORTION));
  const slant = random.between(-MAX_SLANT, MAX_SLANT);
  const rotation = random.between(-MAX_ROTATION, MAX_ROTATION);
  const cos = Math.cos(rotation);
  const sin = Math.sin(rotation);
  return ([x, y]) => {
    const down = (bend(y, bendY) - 0.5) * scaleY;
    const right = (bend(x / width, bendX) - 0.5) * scaleX - slant * down;
    return [right * cos - down * sin, right * sin + down * cos];
  };
}

/** `part` to the power of the exponent. Values outside the box are unchanged. */
function bend(part: number, exponent: number): number {
  return part <= 0 || part >= 1 ? part : part ** exponent;
}

function varyStroke({ isCurve, points }: Stroke, random: Random): Stroke {
  return {
    isCurve,
    points: points.map(([x, y]) => [x + random.about(MAX_MOVE), y + random.about(MAX_MOVE)]),
  };
}

function radiiAlong(points: readonly Point[], radius: number, { contrast, penAngle }: Hand): number[] {
  return points.map((point, i) => {
    const [fromX, fromY] = points[Math.max(0, i - 1)]!;
    const [toX, toY] = points[Math.min(points.length - 1, i + 1)] ?? point;
    const across = Math.sin(Math.atan2(toY - fromY, toX - fromX) - penAngle);
    return radius * (1 - contrast * (1 - across * across));
  });
}

/** Short strokes across the ends of a straight stroke. */
function serifsOf(points: readonly Point[], { isCurve }: Stroke, radius: number, hand: Hand, random: Random): Trace[] {
  const ends = [
    [points[0]!, points[1]!],
    [points.at(-1)!, points.at(-2)!],
  ] as const;
  return ends.flatMap(([end, inner]) => {
    if (isCurve || !random.chance(hand.serifs)) return [];
    const angle = Math.atan2(end[1] - inner[1], end[0] - inner[0]) + Math.PI / 2 + random.about(0.5);
    const [left, right] = [random.between(2, 6), random.between(2, 6)];
    const serif: Point[] = [
      [end[0] - left * Math.cos(angle), end[1] - left * Math.sin(angle)],
      [end[0] + right * Math.cos(angle), end[1] + right * Math.sin(angle)],
    ];
    return [{ points: serif, radii: [radius * 0.75, radius * 0.75] }];
  });
}
