import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settings } from '../../examples/reference-server/src/config/settings.js';
import { sessionParameters } from '../../examples/reference-server/src/modules/sessions/parameters.js';
import { CAPTCHA_DEFAULTS, createCaptchas } from '../../packages/captcha/src/index.js';
import { createLoginAttempts, loginPolicyParameters } from '../../packages/login-policy/src/index.js';
import { ONE_TIME_CODE_DEFAULTS } from '../../packages/one-time-codes/src/index.js';
import { createHashingQueue } from '../../packages/password-hashing/src/hashing-queue.js';
import { PASSWORD_HASHING_DEFAULTS } from '../../packages/password-hashing/src/options.js';
import { createMemoryStore, type TtlStore } from '../../packages/ttl-store/src/index.js';

const page = readFileSync(new URL('../../docs/threat-model.md', import.meta.url), 'utf8');
const DAY_SECONDS = 86_400;

const { failureCount, accountFailureCount, ipFailureCount, lockSeconds } = loginPolicyParameters;

/** With a space between thousands, as the page writes numbers. */
const shown = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ' ');

/** The headings of a page, as GitHub derives anchors from them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title as string)
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** How many tasks of a quarter of a second the queue of the passwords takes at one moment. */
async function tasksUntilFull(threads: number): Promise<number> {
  const { cost, maxWaiting, maxWaitMillis, maxTaskMillis } = PASSWORD_HASHING_DEFAULTS;
  const limits = { threads, maxWaiting, maxWaitMillis, maxForClient: 1 };
  const queue = createHashingQueue({ ...limits, now: () => 0 });
  const sent = 100;
  let refused = 0;
  for (let task = 0; task < sent; task += 1) {
    const size = { rounds: 2 ** cost, maxMillis: maxTaskMillis };
    const work = queue.run(size, undefined, () => new Promise(() => undefined));
    work.catch(() => (refused += 1));
    // Requests come one after the other.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sent - refused;
}

const clientsOf = (tasks: number) => Math.ceil(tasks / PASSWORD_HASHING_DEFAULTS.maxForClient);

/** A store that tells what was written to it. */
function watchedStore() {
  const bytesOf = new Map<string, number>();
  const memory = createMemoryStore();
  const watch = (key: string, value: string) => void bytesOf.set(key, key.length + value.length);
  const store: TtlStore = {
    ...memory,
    async set(key, value, ttlMillis) {
      watch(key, value);
      await memory.set(key, value, ttlMillis);
    },
    async compareAndSet(key, expected, value, ttlMillis) {
      watch(key, value);
      return memory.compareAndSet(key, expected, value, ttlMillis);
    },
    async increment(key, ttlMillis, by) {
      const counter = await memory.increment(key, ttlMillis, by);
      watch(key, String(counter.value));
      return counter;
    },
    async changeAll(changes) {
      const made = await memory.changeAll?.(changes);
      if (made === undefined) throw new Error('The memory store makes several changes at once');
      if (!made.done) return made;
      changes.forEach((change, index) => {
        const value = 'value' in change ? change.value : made.counters[index]?.value;
        if (value !== null && value !== undefined) watch(change.key, String(value));
      });
      return made;
    },
  };
  return {
    store,
    entries: () => bytesOf.size,
    bytes: () => [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0),
  };
}

describe('docs/threat-model.md', () => {
  test('DOC-1 the sums of the sign-in follow from the defaults', () => {
    const windows = DAY_SECONDS / lockSeconds.default;
    const perDay = (failures: number) => `${failures} × ${windows} = ${shown(failures * windows)} guesses a day`;
    expect(page).toContain(`${shown(DAY_SECONDS)} / ${lockSeconds.default} = ${windows} of them`);
    expect(page).toContain(perDay(failureCount.default));
    expect(page).toContain(
      `${perDay(accountFailureCount.default)}, ${shown(accountFailureCount.default * windows * 365)} a year`,
    );
    expect(page).toContain(perDay(ipFailureCount.default));
    const guesses = accountFailureCount.default * windows;
    expect(page).toContain(`10 000 / ${shown(guesses)} = ${(10_000 / guesses).toFixed(1)} days`);
    const networks = Math.ceil(accountFailureCount.default / failureCount.default);
    expect(page).toContain(`${accountFailureCount.default} / ${failureCount.default} = ${networks} networks`);
  });

  test('DOC-1 a captcha for each guess costs what the page says', () => {
    const guesses = (accountFailureCount.default * DAY_SECONDS) / lockSeconds.default;
    expect(page).toContain('US$ 0.5 to 1 for 1000');
    const [low, high] = [0.5, 1].map((price) => ((price * guesses) / 1000).toFixed(1));
    expect(page).toContain(`${shown(guesses)} a day cost US$ ${low} to ${high}`);
  });

  test('DOC-1 the addresses that fill the password workers follow from the defaults', async () => {
    const comparisons = 4 / 0.25;
    const failures = ipFailureCount.default;
    const addresses = (perMinute: number) => {
      const cycleSeconds = (failures / perMinute) * 60 + lockSeconds.default;
      expect(page).toContain(`${failures} in ${cycleSeconds} s`);
      const all = Math.ceil((comparisons * cycleSeconds) / failures);
      expect(page).toContain(`${comparisons} × ${cycleSeconds} / ${failures} = ${all} addresses`);
      return Math.ceil((comparisons * cycleSeconds) / failures / 4);
    };
    const few = [
      addresses(settings['rate-limit.login.max-requests'].default),
      addresses(settings['rate-limit.app-login.max-requests'].default),
    ];
    const [one, four] = [await tasksUntilFull(1), await tasksUntilFull(4)];
    expect(page).toContain(`${few.join(' or ')} addresses; ${one} tasks, ${clientsOf(one)} addresses`);
    expect(page).toContain(`For one moment ${clientsOf(four)} do: the queue takes ${four} tasks`);
    expect(page).toContain(`from ${clientsOf(four)} addresses, or ${clientsOf(one)}`);
    const { maxConcurrentProofs, maxWaitingProofs, maxProofsForClient } = CAPTCHA_DEFAULTS;
    const proofs = Math.ceil((maxConcurrentProofs + maxWaitingProofs) / maxProofsForClient);
    expect(page).toContain(
      `(${maxConcurrentProofs} + ${maxWaitingProofs}) / ${maxProofsForClient} = ${proofs} addresses`,
    );
    const { 'flood-gate.max-requests': requests, 'flood-gate.window-seconds': seconds } = settings;
    expect(page).toContain(`flood gate in memory: ${requests.default} in ${seconds.default} s`);
  });

  test('DOC-1 a sign-in and a captcha leave as many entries in the store as the page says', async () => {
    const signIn = watchedStore();
    const attempts = createLoginAttempts({ store: signIn.store, terminals: ['web'] });
    await attempts.attempt({ username: 'nobody', terminal: 'web', clientIp: '2001:db8::1' }, async () => null);
    const lifeSeconds = lockSeconds.default + 60;
    expect(page).toContain(`leaves ${signIn.entries()} entries of 910 bytes in all, for ${lifeSeconds} s at most`);
    expect(signIn.bytes()).toBeGreaterThan(800);
    expect(signIn.bytes()).toBeLessThanOrEqual(910);
    const entries = 100 * signIn.entries() * lifeSeconds;
    expect(page).toContain(`100 × ${signIn.entries()} × ${lifeSeconds} = ${shown(entries)} entries`);
    expect(page).toContain(`and ${Math.round((entries * 910) / signIn.entries() / 1e6)} MB`);

    const captcha = watchedStore();
    const captchas = createCaptchas({ store: captcha.store, renderer: async () => ({ image: '' }) });
    await captchas.issue({ kind: 'both', purpose: 'register' });
    expect(captcha.entries()).toBe(1);
    expect(captcha.bytes()).toBeLessThanOrEqual(250);
    expect(page).toContain(`a captcha one of 250 bytes, for ${CAPTCHA_DEFAULTS.validSeconds} s`);
  });

  test('DOC-1 the lifetimes are those of the sessions', () => {
    const { adminIdleSeconds, adminAbsoluteSeconds, appIdleSeconds, appAbsoluteSeconds } = sessionParameters;
    expect(page).toContain(
      `ends after ${adminIdleSeconds.default / 60} minutes without use and after ${adminAbsoluteSeconds.default / 3600} hours; an app user's after ${appIdleSeconds.default / DAY_SECONDS} and ${appAbsoluteSeconds.default / DAY_SECONDS} days`,
    );
    expect(page).toContain(`(${settings['api.encryption.clock-skew-seconds'].default})`);
  });

  test('DOC-1 the sums of the codes follow from the defaults', () => {
    const codes = ONE_TIME_CODE_DEFAULTS;
    const chance = '10⁻⁶';
    expect(codes.codeLength).toBe(6);
    expect(page).toContain(`A code has ${codes.codeLength} digits and lives ${codes.validSeconds} s.`);
    expect(page).toContain(`new codes have ${codes.longCodeLength} digits`);
    expect(page).toContain(
      `${codes.maxAttempts} attempts a handle; ${codes.wrongCaptchaAfter} wrong codes a number and day, then a captcha each; after ${codes.wrongDailyLimit} only`,
    );
    expect(page).toContain(`${codes.wrongDailyLimit} × ${chance} = 1 in ${shown(1e6 / codes.wrongDailyLimit)} a day`);
    expect(page).toContain(`${codes.wrongDailyLimit} × 3 × ${chance} = ${(codes.wrongDailyLimit * 3) / 100} in 10 000`);
    const yearly = 1 - (1 - codes.wrongDailyLimit * 3e-6) ** 365;
    expect(page).toContain(`³⁶⁵ = ${Math.round(yearly * 100)} % at most`);
    const overall = codes.overallWrongDailyLimit;
    expect(page).toContain(
      `${shown(overall)} × ${chance} = ${overall / 1e6} takeovers a day, ${(2 * overall) / 1e6} in`,
    );
    const { regionHourlyLimit: region } = codes;
    expect(page).toContain(`captchas from ${region / 4} on, from ${codes.captchaAfter} a network`);
    expect(page).toContain(
      `${shown(region)} × 24 = ${shown(region * 24)} messages a day, ${shown(region * 12)} of them`,
    );
    expect(page).toContain(`at US$ 0.05 each, ${shown(region * 24 * 0.05)} a day`);
    const slow = DAY_SECONDS / codes.slowResendSeconds;
    expect(page).toContain(
      `${codes.recipientDailyLimit} + 3 × ${slow} = ${codes.recipientDailyLimit + 3 * slow} messages a day`,
    );
    const long = overall / 2;
    const networks = Math.ceil(long / (codes.ipWrongDailyLimit * 3));
    expect(page).toContain(`${shown(long)} / (${codes.ipWrongDailyLimit} × 3) = ${networks} addresses`);
    expect(page).toContain(
      `${shown(region / 2)} / ${codes.captchaAfter} = ${region / 2 / codes.captchaAfter} addresses`,
    );
  });

  test('DOC-1 every figure that the tables name is in the table of measured figures, with its command', () => {
    const measured = page.slice(page.indexOf('## Measured figures'));
    const names = [...measured.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(8);
    for (const [, name] of page.matchAll(/`([\w-]+)` below/g)) expect(names).toContain(name);
    for (const row of measured.matchAll(/^\| `[\w-]+`.*$/gm)) expect(row[0]).toMatch(/`(?:pnpm|node|npx) |simulation/);
  });

  test('DOC-1 no figure is missing: each row says a number before its command', () => {
    const measured = page.slice(page.indexOf('## Measured figures'));
    const empty = [...measured.matchAll(/^\| `([\w-]+)` *\|[^|]*\|(.*)\|$/gm)].flatMap(([, name, value = '']) => {
      const figure = value.replace(/<!--.*?-->/g, '').split(/(?:measured )?by `|`/)[0] ?? '';
      return /\d/.test(figure) ? [] : [name];
    });
    expect(empty).toEqual([]);
    expect(page).not.toMatch(/<!-- figure:[^>]*-->\s*(?:measured|\|)/);
  });

  test('DOC-1 its links and those that lead to it arrive', () => {
    const anchors = anchorsOf(page);
    for (const [, target] of page.matchAll(/\]\(([^)]+)\)/g)) {
      if (target?.startsWith('https://')) continue;
      if (target?.startsWith('#')) expect(anchors).toContain(target.slice(1));
      else expect(existsSync(new URL(`../../docs/${target}`, import.meta.url))).toBe(true);
    }
    for (const from of ['README.md', 'SECURITY.md', 'docs/requirements.md']) {
      expect(readFileSync(new URL(`../../${from}`, import.meta.url), 'utf8')).toContain('threat-model.md)');
    }
  });
});
