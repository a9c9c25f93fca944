import { createMemoryStore } from '@sallyport/ttl-store';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CaptchaRenderer, createCaptchas } from '../../../src/modules/captcha/captchas.js';
import { renderSvg } from '../../../src/modules/captcha/svg-renderer.js';

describe('captchas', () => {
  let time: number;
  let texts: string[];
  beforeEach(() => {
    time = 1_000_000;
    texts = [];
  });

  const readable: CaptchaRenderer = (text) => {
    texts.push(text);
    return { image: `data:text/plain,${text}` };
  };
  const captchas = () => createCaptchas({ store: createMemoryStore({ now: () => time }), render: readable });

  it('ADM-1 a captcha has a key of 128 bits, the image of the renderer, and 120 s', async () => {
    const engine = captchas();
    const captcha = await engine.issue();
    expect(captcha).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      image: `data:text/plain,${texts[0]}`,
      expiresInSeconds: 120,
    });
    expect((await engine.issue()).key).not.toBe(captcha.key);
  });

  it('ADM-1 an answer is compared without letter case, width and surrounding blanks', async () => {
    const spellings = [
      (text: string) => text.toLowerCase(),
      (text: string) => ` ${text} `,
      (text: string) => text.replaceAll(/./g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ];
    const engine = captchas();
    for (const spell of spellings) {
      const { key } = await engine.issue();
      expect(await engine.redeem(key, spell(texts.at(-1)!))).toBe(true);
    }
  });

  it('ADM-1 LP-29 a right or wrong answer consumes the captcha', async () => {
    const engine = captchas();
    const used = await engine.issue();
    expect(await engine.redeem(used.key, texts[0]!)).toBe(true);
    expect(await engine.redeem(used.key, texts[0]!)).toBe(false);
    const missed = await engine.issue();
    expect(await engine.redeem(missed.key, 'wrong')).toBe(false);
    expect(await engine.redeem(missed.key, texts[1]!)).toBe(false);
  });

  it('REL-4 ADM-1 exactly one of 50 parallel right answers to a captcha is accepted', async () => {
    const engine = captchas();
    const { key } = await engine.issue();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => engine.redeem(key, texts[0]!)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('ADM-1 LP-31 a captcha expires after 120 s', async () => {
    const engine = captchas();
    const [early, late] = [await engine.issue(), await engine.issue()];
    time += 119_999;
    expect(await engine.redeem(early.key, texts[0]!)).toBe(true);
    time += 1;
    expect(await engine.redeem(late.key, texts[1]!)).toBe(false);
  });

  it('LP-31 the answer to another captcha, an unknown key and a key of any other form are wrong', async () => {
    const engine = captchas();
    const [mine] = [await engine.issue(), await engine.issue()];
    const keys = [mine.key, 'A'.repeat(22), '', 'x'.repeat(2000), 'a\0b', '\ud800', '*', `${mine.key}\n`];
    for (const key of keys) expect(await engine.redeem(key, texts[1]!)).toBe(false);
  });

  it('ADM-1 texts have five characters from a set without look-alikes', async () => {
    const engine = captchas();
    for (let i = 0; i < 300; i += 1) await engine.issue();
    expect(new Set(texts).size).toBeGreaterThan(290);
    for (const text of texts) expect(text).toMatch(/^[^01258BDILOQSUVZa-z]{5}$/);
  });

  it('ADM-1 the image is an SVG of paths without its text and without scripts', () => {
    const { image } = renderSvg('ACEFG');
    const [type, data = ''] = image.split(',');
    expect(type).toBe('data:image/svg+xml;base64');
    const svg = Buffer.from(data, 'base64').toString();
    expect(svg).toMatch(/^<svg .*<\/svg>$/s);
    expect(svg).not.toMatch(/<text|<script|ACEFG/);
  });
});
