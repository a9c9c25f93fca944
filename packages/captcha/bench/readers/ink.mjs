// Pictures as the readers see them: grey, then ink or paper, then the middle lines of the ink with their directions.

/** The size to which every picture is brought. The old ones are smaller. */
export const WIDTH = 344;
export const HEIGHT = 100;

/** Directions of a stroke: of 180 degrees, in equal parts. */
export const DIRECTIONS = 6;

/**
 * Ink by Otsu's threshold on grey that was levelled with its surroundings.
 *
 * @param {Float32Array} grey 0 is black
 */
export function inkOf(grey) {
  const level = blur(grey, 24);
  const flat = grey.map((value, at) => value - level[at]);
  const threshold = otsu(flat);
  return Uint8Array.from(flat, (value) => (value < threshold ? 1 : 0));
}

/** Means over squares, three times: nearly a Gaussian. */
export function blur(values, radius) {
  let from = Float32Array.from(values);
  for (let pass = 0; pass < 3; pass++) {
    from = slide(slide(from, WIDTH, HEIGHT, 1, WIDTH, radius), HEIGHT, WIDTH, WIDTH, 1, radius);
  }
  return from;
}

function slide(values, length, lines, step, lineStep, radius) {
  const result = new Float32Array(values.length);
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep;
    let sum = 0;
    let count = 0;
    for (let i = -radius; i < length; i++) {
      if (i + radius < length) {
        sum += values[start + (i + radius) * step];
        count += 1;
      }
      if (i - radius - 1 >= 0) {
        sum -= values[start + (i - radius - 1) * step];
        count -= 1;
      }
      if (i >= 0) result[start + i * step] = sum / count;
    }
  }
  return result;
}

function otsu(values) {
  const min = values.reduce((a, b) => Math.min(a, b));
  const max = values.reduce((a, b) => Math.max(a, b));
  const bins = new Uint32Array(64);
  const binOf = (value) => Math.min(63, Math.floor(((value - min) / (max - min || 1)) * 64));
  for (const value of values) bins[binOf(value)] += 1;
  let best = 0;
  let bestSpread = -1;
  const total = values.length;
  const sumAll = bins.reduce((sum, count, bin) => sum + count * bin, 0);
  let below = 0;
  let sumBelow = 0;
  for (let bin = 0; bin < 63; bin++) {
    below += bins[bin];
    sumBelow += bins[bin] * bin;
    if (below === 0 || below === total) continue;
    const difference = sumBelow / below - (sumAll - sumBelow) / (total - below);
    const spread = below * (total - below) * difference * difference;
    if (spread > bestSpread) [best, bestSpread] = [bin, spread];
  }
  return min + ((best + 1) / 64) * (max - min);
}

/** Zhang and Suen, 1984: thins ink to lines of one pixel. */
function thin(ink) {
  const thinned = Uint8Array.from(ink);
  const around = [-WIDTH, 1 - WIDTH, 1, 1 + WIDTH, WIDTH, WIDTH - 1, -1, -1 - WIDTH];
  for (let changed = true; changed; ) {
    changed = false;
    for (const isFirst of [true, false]) {
      const gone = [];
      for (let y = 1; y < HEIGHT - 1; y++) {
        for (let x = 1; x < WIDTH - 1; x++) {
          const at = y * WIDTH + x;
          if (thinned[at] === 1 && isRemovable(thinned, at, around, isFirst)) gone.push(at);
        }
      }
      for (const at of gone) thinned[at] = 0;
      changed ||= gone.length > 0;
    }
  }
  return thinned;
}

function isRemovable(ink, at, around, isFirst) {
  const [n, , e, , s, , w] = around.map((step) => ink[at + step]);
  let neighbours = 0;
  let changes = 0;
  for (let i = 0; i < 8; i++) {
    const here = ink[at + around[i]];
    neighbours += here;
    if (here === 0 && ink[at + around[(i + 1) % 8]] === 1) changes += 1;
  }
  if (neighbours < 2 || neighbours > 6 || changes !== 1) return false;
  return isFirst ? n * e * s === 0 && e * s * w === 0 : n * e * w === 0 && n * s * w === 0;
}

/** The points of the middle lines: x, y and direction each. The direction is that of the line's points nearby. */
export function middleLines(ink) {
  const thinned = thin(ink);
  const points = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) if (thinned[y * WIDTH + x] === 1) points.push(directed(thinned, x, y));
  }
  return points;
}

const NEAR = 4;

function directed(thinned, x, y) {
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let dy = -NEAR; dy <= NEAR; dy++) {
    for (let dx = -NEAR; dx <= NEAR; dx++) {
      const [px, py] = [x + dx, y + dy];
      if (px < 0 || py < 0 || px >= WIDTH || py >= HEIGHT || thinned[py * WIDTH + px] === 0) continue;
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  const turn = ((angle + Math.PI) / Math.PI) * DIRECTIONS;
  return { x, y, direction: Math.round(turn) % DIRECTIONS };
}
