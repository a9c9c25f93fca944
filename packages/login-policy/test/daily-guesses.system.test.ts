import { describe, expect, it } from 'vitest';
import { createTestEngine, type Guess, outcome, WRONG } from './guesses.js';

const DAY_SECONDS = 86_400;

type Bench = ReturnType<typeof createTestEngine>;

/** How many of a stranger's guesses are verified in a day, if each that is refused waits until the lock ends. */
async function guessAllDay(bench: Bench, guessOf: (index: number) => Guess): Promise<number> {
  let verified = 0;
  const end = bench.clock.millis + DAY_SECONDS * 1000;
  for (let index = 0; bench.clock.millis < end; index += 1) {
    const found = await outcome(bench.engine, guessOf(index), async () => {
      verified += 1;
      return WRONG();
    });
    if (found === 'LOGIN_LOCKED') bench.clock.advance(600);
  }
  return verified;
}

describe('the guesses of a day at default settings, as the README says', () => {
  const address = (index: number) => `2001:db8:${(index >> 12).toString(16)}:${(index & 0xfff).toString(16)}::1`;

  it('LGN-6 LGN-12 are 720 from one address, and 2880 from any number of addresses', async () => {
    expect(await guessAllDay(createTestEngine(), () => ({}))).toBe(720);
    expect(await guessAllDay(createTestEngine(), (index) => ({ clientIp: address(index) }))).toBe(2880);
  });

  it('LGN-6 LGN-12 are 720 from all addresses without include-ip', async () => {
    const bench = createTestEngine({ policy: { failureIncludeIpEnabled: false } });
    expect(await guessAllDay(bench, (index) => ({ clientIp: address(index) }))).toBe(720);
  });

  it('LGN-6 are 14 400 from one address at all accounts', async () => {
    expect(await guessAllDay(createTestEngine(), (index) => ({ username: `user-${index}` }))).toBe(14_400);
  });

  it('LGN-12 are 720 more with a stolen device token', async () => {
    const bench = createTestEngine();
    const deviceToken = await bench.engine.issueDeviceToken({ username: 'ada' });
    expect(await guessAllDay(bench, (index) => ({ deviceToken, clientIp: address(index) }))).toBe(2880 + 720);
  });

  it('LGN-6 are 2736 without a lock', async () => {
    const bench = createTestEngine();
    let locks = 0;
    for (let window = 0; window < DAY_SECONDS / 600; window += 1) {
      for (let n = 0; n < 19; n += 1) {
        if ((await outcome(bench.engine, { clientIp: address(window * 19 + n) })) !== 'failed') locks += 1;
      }
      bench.clock.advance(600);
    }
    expect(locks).toBe(0);
    expect((DAY_SECONDS / 600) * 19).toBe(2736);
  });
});
