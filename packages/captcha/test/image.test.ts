import { describe, expect, it } from 'vitest';
import { IMAGE_ALPHABET } from '../src/image/index.js';
import { captchaWorld } from './captcha-world.js';

const kinds = ['image'] as const;
const login = { kind: 'image', purpose: 'login' } as const;

describe('pictures', () => {
  it('CAP-1 ADM-1 have a key of 128 bits, the picture of the renderer, and 120 s', async () => {
    const { engine, texts } = captchaWorld();
    const captcha = await engine.issue(login);
    expect(captcha).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      kind: 'image',
      image: `data:text/plain,${texts[0]}`,
      alphabet: expect.stringMatching(/^[A-Z0-9]+$/),
      expiresInSeconds: 120,
    });
    expect((await engine.issue(login)).key).not.toBe(captcha.key);
  });

  it('CAP-1 ADM-1 are answered without letter case, width and surrounding blanks', async () => {
    const spellings = [
      (text: string) => text.toLowerCase(),
      (text: string) => ` ${text} `,
      (text: string) => text.replaceAll(/./g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ];
    const { engine, texts } = captchaWorld();
    for (const spell of spellings) {
      const { key } = await engine.issue(login);
      expect(await engine.redeem({ purpose: 'login', kinds, key, code: spell(texts.at(-1)!) })).toBe(true);
    }
  });

  it('CAP-1 LP-31 the text of another one, an unknown key and a key of any other form are wrong', async () => {
    const { engine, texts } = captchaWorld();
    const [mine] = [await engine.issue(login), await engine.issue(login)];
    const keys = [mine.key, 'A'.repeat(22), '', 'x'.repeat(2000), 'a\0b', '\ud800', '*', `${mine.key}\n`];
    for (const key of keys) expect(await engine.redeem({ purpose: 'login', kinds, key, code: texts[1]! })).toBe(false);
    const last = await engine.issue(login);
    const padded = ' '.repeat(65) + texts[2]!;
    expect(await engine.redeem({ purpose: 'login', kinds, key: last.key, code: padded })).toBe(false);
  });

  it('CAP-1 ADM-1 texts have five characters, all of which the renderer draws, and none that looks like another', async () => {
    const { engine, texts } = captchaWorld();
    for (let i = 0; i < 300; i += 1) await engine.issue(login);
    expect(new Set(texts).size).toBeGreaterThan(290);
    for (const text of texts) expect(text).toMatch(/^[A-Z0-9]{5}$/);
    const letters = [...new Set(texts.join(''))].sort().join('');
    expect(letters).toBe([...IMAGE_ALPHABET].sort().join(''));
    for (const alike of ['0ODQ', '1IL', '2Z', '5S', '8B', 'UV', 'CG6', 'EF', 'PR']) {
      expect([...alike].filter((letter) => letters.includes(letter)).length).toBeLessThan(2);
    }
  });

  it('CAP-3 the alphabet comes with the picture, and what people read for one of its characters counts as this one', async () => {
    const { engine, texts } = captchaWorld();
    const asRead = { G: 'c6', E: 'f', R: 'p', S: '5', 2: 'z', 3: '8b' } as Record<string, string>;
    const opened = new Set<string>();
    for (let i = 0; i < 100; i += 1) {
      const { key, alphabet } = await engine.issue(login);
      expect([...alphabet!].sort().join('')).toBe([...IMAGE_ALPHABET].sort().join(''));
      const code = [...texts.at(-1)!].map((letter) => asRead[letter]?.[i % asRead[letter].length] ?? letter).join('');
      expect(await engine.redeem({ purpose: 'login', kinds, key, code })).toBe(true);
      for (const letter of code) opened.add(letter);
    }
    for (const letter of 'c6fp5z8b') expect(opened).toContain(letter);
    // Another character of the alphabet is another one.
    const { key } = await engine.issue(login);
    const wrong = texts.at(-1)!.replace(/./, (letter) => (letter === 'G' ? 'E' : 'G'));
    expect(await engine.redeem({ purpose: 'login', kinds, key, code: wrong })).toBe(false);
  });

  it('CAP-1 a captcha whose picture fails is not stored', async () => {
    const written: string[] = [];
    const store = { set: async (key: string) => void written.push(key), take: async () => null };
    const renderer = async () => Promise.reject(new Error('no font'));
    const { engine } = captchaWorld({ store, renderer });
    await expect(engine.issue(login)).rejects.toThrow('no font');
    expect(written).toEqual([]);
  });
});
