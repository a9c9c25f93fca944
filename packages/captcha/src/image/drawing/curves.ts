import type { Point, Stroke } from './letters.js';

/** Points between two given points of a curve. */
const STEPS = 7;

/** Points along a straight piece, so that a warp can bend it. */
const STRAIGHT_STEPS = 8;

/** The stroke as points that lie close together. */
export function pointsAlong({ isCurve, points }: Stroke): Point[] {
  return isCurve ? alongCurve(points) : alongLines(points);
}

function alongLines(points: readonly Point[]): Point[] {
  const along: Point[] = [points[0]!];
  for (let i = 1; i < points.length; i++) {
    const [fromX, fromY] = points[i - 1]!;
    const [toX, toY] = points[i]!;
    for (let step = 1; step <= STRAIGHT_STEPS; step++) {
      const t = step / STRAIGHT_STEPS;
      along.push([fromX + (toX - fromX) * t, fromY + (toY - fromY) * t]);
    }
  }
  return along;
}

/** A Catmull-Rom spline: it goes through every point. */
export function alongCurve(points: readonly Point[]): Point[] {
  const along: Point[] = [points[0]!];
  for (let i = 1; i < points.length; i++) {
    const from = points[i - 1]!;
    const to = points[i]!;
    const before = points[i - 2] ?? from;
    const after = points[i + 1] ?? to;
    for (let step = 1; step <= STEPS; step++) {
      const t = step / STEPS;
      along.push([spline(before[0], from[0], to[0], after[0], t), spline(before[1], from[1], to[1], after[1], t)]);
    }
  }
  return along;
}

function spline(before: number, from: number, to: number, after: number, t: number): number {
  const a = 2 * from;
  const b = to - before;
  const c = 2 * before - 5 * from + 4 * to - after;
  const d = 3 * (from - to) + after - before;
  return (a + t * (b + t * (c + t * d))) / 2;
}
