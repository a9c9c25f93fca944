import { expect, it } from 'vitest';
import { freshRecipient, other, timedCodes } from './test-codes.js';

/** A small generator with a seed (mulberry32), so that a run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sends of each hour of a day at a carrier's shared address: 5000 people, most of them in the evening. */
const HOURS = [
  40, 20, 10, 10, 10, 30, 90, 180, 260, 280, 280, 270, 290, 280, 270, 260, 270, 300, 360, 440, 480, 320, 160, 90,
];

/** Of a hundred people, how many never enter the code, mistype it once, or ask twice. */
const ABANDON = 0.1;
const MISTYPE = 0.05;
const ASK_TWICE = 0.08;

it('OTC-2 one carrier address with 5000 people signs in all day at default settings: nobody is refused', async () => {
  const next = random(19);
  const { send, outcome, pass } = timedCodes();
  const from = '198.51.100.1';
  let captchas = 0;
  let signIns = 0;
  const captcha = async () => {
    captchas += 1;
    return true;
  };
  for (const people of HOURS) {
    for (let i = 0; i < people; i += 1) {
      pass(3600 / people);
      const recipient = freshRecipient();
      let sent = await send(recipient, { from, captcha });
      expect(sent.code).not.toBeNull();
      if (next() < ASK_TWICE) {
        const again = await send(recipient, { from, captcha });
        sent = { ...again, code: sent.code };
      }
      if (next() < ABANDON) continue;
      const ask = { from, captcha, handle: sent.handle };
      if (next() < MISTYPE) expect(await outcome(recipient, other(sent.code!), ask)).toBe('wrong');
      expect(await outcome(recipient, sent.code!, ask)).toBe('in');
      signIns += 1;
    }
  }
  expect(signIns).toBeGreaterThan(4400);
  // The captcha of the second code in an hour, and those of busy hours, in which 20 codes were never entered.
  expect(captchas).toBeGreaterThan(0);
  expect(captchas / signIns).toBeLessThan(0.4);
});
