import type { Trace } from './canvas.js';
import { alongCurve } from './curves.js';
import { HEIGHT, WIDTH } from './layout.js';
import type { Hand } from './lettering.js';
import type { Point } from './letters.js';
import type { Random } from './random.js';

/** A wide arc through several letters. People distinguish it from strokes, because no letter bends so evenly. */
const MIN_RADIUS = 45;
const MAX_RADIUS = 110;

/** Points of an ellipse. */
const POINTS = 17;

/**
 * An arc with the thickness and the ink of the letters' strokes, so that neither width nor colour distinguishes them. A
 * stroke as short as a letter's stopped no program, and people could take it for a part of a letter. More arcs are no
 * better.
 */
export function drawLine({ radius }: Hand, random: Random): Trace {
  const points = alongCurve(wideArc(random));
  const half = radius * random.between(0.8, 1.1);
  return { points, radii: points.map(() => half) };
}

/** An ellipse with its centre above or below the picture. Both ends of its visible part lie at the picture's edge. */
function wideArc(random: Random): Point[] {
  const outside = random.between(0, 16);
  const middle: Point = [random.between(0, WIDTH), random.chance(0.5) ? -outside : HEIGHT + outside];
  const across = random.between(MIN_RADIUS, MAX_RADIUS);
  const down = outside + random.between(HEIGHT * 0.22, HEIGHT * 0.5);
  return Array.from({ length: POINTS }, (_, i) => {
    const angle = (2 * Math.PI * i) / (POINTS - 1);
    return [middle[0] + across * Math.cos(angle), middle[1] + down * Math.sin(angle)];
  });
}
