import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { drawPicture, IMAGE_ALPHABET } from '../src/image/drawing/index.js';

/** The names of a PNG's chunks, in order. */
function chunksOf(png: Uint8Array): string[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const names: string[] = [];
  for (let at = 8; at < png.length; at += view.getUint32(at) + 12) {
    names.push(String.fromCharCode(...png.subarray(at + 4, at + 8)));
  }
  return names;
}

describe('pictures', () => {
  it('CAP-1 are files of shades alone: no text, no time, no other metadata', () => {
    for (const text of ['AEGKMRS', 'TWY2399', '9999999']) {
      const png = drawPicture(text);
      expect(chunksOf(png)).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
      expect(Buffer.from(png).includes(text)).toBe(false);
    }
  });

  it('CAP-1 have one size, whatever and however much they show', () => {
    const sizes = ['S', 'MWMWMWM', 'EEEEEEE', '393939393939'].map((text) => {
      const { width, height, depth, channels } = decode(drawPicture(text));
      return { width, height, depth, channels };
    });
    expect(new Set(sizes.map((size) => JSON.stringify(size))).size).toBe(1);
  });

  it('CAP-1 take no number of bytes that tells the text', () => {
    const bytes = (text: string) => Array.from({ length: 30 }, () => drawPicture(text).length);
    const [simple, rich] = [bytes('TYATYAT'), bytes('R9EGMRS')];
    expect(Math.max(...simple)).toBeGreaterThan(Math.min(...rich));
  });

  it('CAP-1 of one text differ, and so do their shades', () => {
    const drawn = Array.from({ length: 20 }, () => drawPicture('AEGKMRS'));
    expect(new Set(drawn.map((png) => Buffer.from(png).toString('base64'))).size).toBe(20);
    expect(new Set(drawn.map((png) => JSON.stringify(decode(png).palette))).size).toBeGreaterThan(18);
  });

  it('CAP-1 show letters: there is more ink than noise, and it is where the letters are', () => {
    for (const letter of IMAGE_ALPHABET) {
      const plain = { shapes: false, touching: false, warp: false, lines: false };
      const { data, width, height } = decode(drawPicture(letter, plain));
      const dark = (x: number, y: number) => ((data[(y * width + x) >> 1]! >> (x % 2 === 0 ? 4 : 0)) & 15) < 7;
      let inside = 0;
      let outside = 0;
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          if (!dark(x, y)) continue;
          if (Math.abs(x - width / 2) < 40 && Math.abs(y - height / 2) < 40) inside++;
          else outside++;
        }
      }
      expect(inside, letter).toBeGreaterThan(200);
      expect(outside, letter).toBe(0);
    }
  });

  it('CAP-1 of nothing, of too much and of characters without a picture are refused', () => {
    for (const text of ['', 'A'.repeat(13), 'a', 'B', ' ', '\0', 'constructor']) {
      expect(() => drawPicture(text), text).toThrow(RangeError);
    }
  });
});
