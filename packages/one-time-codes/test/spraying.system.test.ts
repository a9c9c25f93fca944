import { expect, it } from 'vitest';
import { address, freshRecipient, timedCodes } from './test-codes.js';

const DAYS = 30;
const ADDRESSES = 1000;

/** Short codes, so that takeovers happen often enough to be counted: a guess hits once in 10^4 and not in 10^6. */
const DIGITS = 4;
const SCALE = 10 ** (6 - DIGITS);

it('OTC-3 spraying from 1000 addresses takes over less than 0.01 recipients a day', async () => {
  const { send, outcome, pass } = timedCodes({
    codeLength: DIGITS,
    regionHourlyLimit: 10_000_000,
    overallHourlyLimit: 10_000_000,
  });
  let takeovers = 0;
  let guesses = 0;
  for (let day = 0; day < DAYS; day += 1) {
    // Every captcha is answered. First with handles of own sends, then without a handle at numbers with three codes.
    for (let i = 0; i < 900; i += 1) {
      const victim = freshRecipient();
      const { handle } = await send(victim, { from: address(i % ADDRESSES) });
      for (let guess = 0; guess < 5; guess += 1) {
        const code = String(1000 * guess + day).padStart(DIGITS, '0');
        guesses += 1;
        if ((await outcome(victim, code, { from: address(i % ADDRESSES), handle })) === 'in') takeovers += 1;
      }
    }
    for (let i = 0; i < 40; i += 1) {
      const victim = freshRecipient();
      for (let sent = 0; sent < 3; sent += 1) {
        await send(victim, { from: address((i * 3 + sent) % ADDRESSES) });
        pass(60);
      }
      for (let guess = 0; guess < 100; guess += 1) {
        const code = String(97 * guess + day).padStart(DIGITS, '0');
        guesses += 1;
        if ((await outcome(victim, code, { from: address((i * 100 + guess) % ADDRESSES) })) === 'in') takeovers += 1;
      }
    }
    pass(86_400);
  }
  const expected = takeovers / DAYS / SCALE;
  process.stdout.write(
    `${guesses} guesses in ${DAYS} days: ${takeovers} codes of ${DIGITS} digits, ${expected} a day at 6\n`,
  );
  // By arithmetic at most 5000 / 10^4 = 0.5 a day at 4 digits, 15 in 30 days; more than 40 occur once in 10^7 runs.
  expect(takeovers).toBeLessThanOrEqual(40);
}, 300_000);
