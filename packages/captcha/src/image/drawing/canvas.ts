import type { Point } from './letters.js';

/** The share of ink in each pixel, 0 to 1, line by line. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly ink: Float32Array;
}

/** A stroke of the pen: the points of its middle line, in pixels, and half its width at each of them. */
export interface Trace {
  readonly points: readonly Point[];
  readonly radii: readonly number[];
}

export function createCanvas(width: number, height: number): Canvas {
  return { width, height, ink: new Float32Array(width * height) };
}

/** Draws with round ends and smooth edges. A stroke over existing ink does not show. */
export function drawTrace(canvas: Canvas, { points, radii }: Trace): void {
  for (let i = 1; i < points.length; i++) drawPiece(canvas, points[i - 1]!, points[i]!, radii[i - 1]!, radii[i]!);
}

function drawPiece({ width, height, ink }: Canvas, from: Point, to: Point, startRadius: number, endRadius: number) {
  const [fromX, fromY] = from;
  const alongX = to[0] - fromX;
  const alongY = to[1] - fromY;
  const squared = alongX * alongX + alongY * alongY || Number.MIN_VALUE;
  const reach = Math.max(startRadius, endRadius) + 1;
  const left = Math.max(0, Math.floor(Math.min(fromX, to[0]) - reach));
  const right = Math.min(width - 1, Math.ceil(Math.max(fromX, to[0]) + reach));
  const top = Math.max(0, Math.floor(Math.min(fromY, to[1]) - reach));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(fromY, to[1]) + reach));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const dx = x - fromX;
      const dy = y - fromY;
      const t = Math.min(1, Math.max(0, (dx * alongX + dy * alongY) / squared));
      const offX = dx - t * alongX;
      const offY = dy - t * alongY;
      const radius = startRadius + (endRadius - startRadius) * t;
      const covered = radius + 0.5 - Math.sqrt(offX * offX + offY * offY);
      const at = y * width + x;
      if (covered > ink[at]!) ink[at] = Math.min(1, covered);
    }
  }
}
