import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settings } from '../../examples/reference-server/src/config/settings.js';
import { sessionParameters } from '../../examples/reference-server/src/modules/sessions/parameters.js';
import { loginPolicyParameters } from '../../packages/login-policy/src/index.js';

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

  test('DOC-1 the addresses that fill the password workers follow from the defaults', () => {
    const perMinute = settings['rate-limit.login.max-requests'].default;
    const cycleSeconds = (ipFailureCount.default / perMinute) * 60 + lockSeconds.default;
    const comparisons = 4 / 0.25;
    const addresses = (comparisons * cycleSeconds) / ipFailureCount.default;
    expect(page).toContain(`${comparisons} × ${cycleSeconds} / ${ipFailureCount.default} = ${addresses} addresses`);
    const { 'flood-gate.max-requests': requests, 'flood-gate.window-seconds': seconds } = settings;
    expect(page).toContain(`flood gate in memory: ${requests.default} in ${seconds.default} s`);
  });

  test('DOC-1 the lifetimes are those of the sessions', () => {
    const { adminIdleSeconds, adminAbsoluteSeconds, appIdleSeconds, appAbsoluteSeconds } = sessionParameters;
    expect(page).toContain(
      `ends after ${adminIdleSeconds.default / 60} minutes without use and after ${adminAbsoluteSeconds.default / 3600} hours; an app user's after ${appIdleSeconds.default / DAY_SECONDS} and ${appAbsoluteSeconds.default / DAY_SECONDS} days`,
    );
    expect(page).toContain(`(${settings['api.encryption.clock-skew-seconds'].default})`);
  });

  test('DOC-1 every figure that the tables name is in the table of measured figures, with its command', () => {
    const measured = page.slice(page.indexOf('## Measured figures'));
    const names = [...measured.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name as string);
    const marked = [...measured.matchAll(/<!-- figure: ([\w-]+) -->/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of marked) expect(names).toContain(name);
    for (const [, name] of page.matchAll(/`([\w-]+)` below/g)) expect(names).toContain(name);
    for (const row of measured.matchAll(/^\| `[\w-]+`.*$/gm)) expect(row[0]).toMatch(/`(?:pnpm|node|npx) |simulation/);
  });

  test('DOC-1 its links and those that lead to it arrive', () => {
    const anchors = anchorsOf(page);
    for (const [, target] of page.matchAll(/\]\(([^)]+)\)/g)) {
      if (target?.startsWith('#')) expect(anchors).toContain(target.slice(1));
      else expect(existsSync(new URL(`../../docs/${target}`, import.meta.url))).toBe(true);
    }
    for (const from of ['README.md', 'SECURITY.md', 'docs/requirements.md']) {
      expect(readFileSync(new URL(`../../${from}`, import.meta.url), 'utf8')).toContain('threat-model.md)');
    }
  });
});
