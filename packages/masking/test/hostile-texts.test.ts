import { describe, expect, it } from 'vitest';
import { MASK_LIMITS, maskSensitive, maskText } from '../src/index.js';

/** Encoded in two ways, several times: it can be decoded in many orders. */
const MANY_ORDERS = ' %252541 &amp;amp;lt; \\\\\\\\n';

/** The units of texts that are searched by `indexOf` or read one by one meanwhile, per unit of the text. */
function unitsRead(text: string, run: () => void): number {
  const { indexOf, charCodeAt } = String.prototype;
  let units = 0;
  String.prototype.indexOf = function countedSearch(sought: string, start = 0) {
    const found = Reflect.apply(indexOf, this, [sought, start]) as number;
    units += (found === -1 ? this.length : found) - start;
    return found;
  };
  String.prototype.charCodeAt = function countedRead(index: number) {
    units += 1;
    return Reflect.apply(charCodeAt, this, [index]) as number;
  };
  try {
    run();
  } finally {
    Object.assign(String.prototype, { indexOf, charCodeAt });
  }
  return units / text.length;
}

/** A reading by all patterns, and eight decoded ones, come to 45. */
const MAX_READ = 60;

describe('a text that is written to take time', () => {
  it.each([
    ['elements without end marks', '<pin> '.repeat(2000)],
    ['elements with the end mark of another', `${'<pin> '.repeat(2000)}</x>`],
    ['elements with different names', `${Array.from({ length: 1000 }, (_, index) => `<token${index}> `).join('')}</x>`],
    ['elements that are named by the ones before', `${'<a>pin</a><b> '.repeat(1000)}</x>`],
    ['addresses without a colon', `@ ${'// '.repeat(4000)}`],
    ['users without a password', '//a@ '.repeat(3000)],
    ['many orders of decoding', 'abc: x '.repeat(1000) + MANY_ORDERS],
  ])('AUD-10 is read no more often than others: %s', (_kind, text) => {
    expect(unitsRead(text, () => maskText(text))).toBeLessThan(MAX_READ);
  });

  it('AUD-10 is masked to its end after many elements that the end mark of another follows', () => {
    const text = `${'<pin> '.repeat(1000)}hunter2</x> and so on`;
    const masked = maskText(text);
    expect(masked).toMatch(/^(?:<pin> )+<pin>\[masked\]$/);
    expect(masked.length).toBeLessThan(text.length / 10);
    expect(maskText(masked)).toBe(masked);
  });

  it('AUD-10 keeps the placeholders of a manual, in HTML and without any end mark', () => {
    const usage = 'login <user> <password> <token> <pin> <key> <code> to continue';
    expect(maskText(`<p>${usage}</p>`)).toBe(`<p>${usage}</p>`);
    expect(maskText(usage.repeat(100))).toBe(usage.repeat(100));
    expect(maskText(`<p>${usage}</p><otp>1234</otp>`)).toBe(`<p>${usage}</p><otp>[masked]</otp>`);
  });

  it('AUD-10 is masked as a whole if its decodings together are too long', () => {
    expect(maskText('abc: x '.repeat(1000) + MANY_ORDERS)).toBe('[masked]');
    expect(maskText(`abc: x${MANY_ORDERS}`)).toBe(`abc: x${MANY_ORDERS}`);
    const twice = encodeURIComponent(encodeURIComponent('?a=b&token=hunter2'));
    const logged = JSON.stringify(JSON.stringify({ note: 'abc x '.repeat(1000), url: `/cb?next=${twice}` }));
    expect(maskText(logged)).toBe(logged.replace('hunter2', '[masked]'));
  });

  it('AUD-2 bounds the texts that are read of a value of which masking leaves little', () => {
    const long = 'password: hunter2 '.repeat(400);
    const kept = maskSensitive(Array.from({ length: 200 }, () => long)) as string[];
    expect(kept.at(-1)).toBe('[cut]');
    // Each is read to four times its kept length.
    expect(kept.length).toBeLessThanOrEqual(MASK_LIMITS.maxBytes / MASK_LIMITS.maxTextLength + 2);
    const named = maskSensitive(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [long + index, 1])));
    expect(Object.keys(named as object)).toContain('[cut]');
  });
});
