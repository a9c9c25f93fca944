import { randomUUID } from 'node:crypto';
import { createApiClient, dataOf, newKey, RefusedError } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { overflowOf, violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

/** More than any scenario needs. */
const MAX_GUESSES = 20;

const IP_LIMIT = 'admin.auth.login.ip-failure-count';

export function describeLoginLimits(world: () => ConsoleWorld, pageIt: PageIt): void {
  pageIt(
    'CON-2 explains the locks of a name with their ends, clears them after a question, and says what is left',
    async () => {
      const { openSignedIn } = world();
      const name = nameOf('guessed');
      await guessUntil('LOGIN_FAILED', name, 5);
      const { page, faults } = await openSignedIn('/login-limits');
      await page.getByLabel('User', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Search' }).click();
      await expect.poll(() => page.url()).toContain(`user=${name}`);
      await page.getByRole('heading', { level: 2, name: `${name} · web` }).waitFor();
      await page.getByRole('status').filter({ hasText: 'Sign-ins are refused from' }).waitFor();
      const locked = page.getByRole('region', { name: /^Name at an address/ });
      await locked.getByText('Locks at 5 failures.').waitFor();
      expect(await locked.getByRole('timer').textContent()).toMatch(/^in \d+ min/);
      await page.getByRole('region', { name: 'Name, all addresses' }).getByText('5 of 20 failures').waitFor();
      expect(await violationsOf(page)).toEqual([]);

      await page.getByRole('button', { name: 'Clear limits of the name' }).click();
      const dialog = page.getByRole('dialog', { name: 'Clear limits of the name' });
      await dialog.getByText(`The failures and locks of ${name} are cleared at the terminal web`).waitFor();
      await dialog.getByRole('button', { name: 'Clear limits of the name' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `No address refuses ${name} any more.` })
        .waitFor();
      await page.getByRole('status').filter({ hasText: 'Nothing locks this name' }).waitFor();
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'CON-2 says after a clear which address still refuses the name, and until when; clearing it ends that',
    async () => {
      const { openSignedIn } = world();
      const name = nameOf('office');
      const { page, faults } = await openSignedIn(`/login-limits?user=${name}`);
      await page.getByText('Nothing locks this name').waitFor();
      await limitAddresses(1);
      try {
        // The refusal is noted for the name.
        await guessUntil('LOGIN_LOCKED', name);
        await page.getByRole('button', { name: 'Refresh' }).click();
        await page
          .getByRole('region', { name: /^Address, all names/ })
          .getByText('Locked')
          .waitFor();
        await page.getByRole('button', { name: 'Clear limits of the name' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Clear limits of the name' }).click();
        const left = page.getByRole('alert').filter({ hasText: `${name} is still refused from some addresses` });
        await left.getByText('There were too many failures from these addresses').waitFor();
        expect(await left.getByRole('timer').textContent()).toMatch(/^in \d+ /);
        await left.getByRole('button', { name: 'Clear limits of the address' }).click();
        const dialog = page.getByRole('dialog', { name: 'Clear limits of the address' });
        await dialog.getByText('Locks of single names stay.').waitFor();
        await dialog.getByRole('button', { name: 'Clear limits of the address' }).click();
        await page.getByRole('status').filter({ hasText: 'count from zero again' }).waitFor();
        await page.getByRole('status').filter({ hasText: 'Nothing locks this name' }).waitFor();
      } finally {
        await limitAddresses(100);
      }
      expect(faults).toEqual([]);
    },
  );

  pageIt('CON-2 explains what limits the codes of an app user', async () => {
    const { openSignedIn, service } = world();
    const mobile = `1380013${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`;
    const { api } = createApiClient({ baseUrl: service.origin });
    for (const purpose of [{}, { for: 'login' }, { for: 'recover' }] as const)
      dataOf(await api.POST('/app/auth/sendSmsCode', { body: { mobile, ...purpose } }));
    const { page, faults } = await openSignedIn(`/login-limits?user=${mobile}&terminal=app`);
    await page.getByRole('heading', { level: 2, name: `+86${mobile} · app` }).waitFor();
    const codes = page.getByRole('region', { name: 'Codes by text message' });
    await codes.getByText('The next message needs a captcha').waitFor();
    await codes.getByText('The last message was sent a moment ago').waitFor();
    expect(await codes.getByRole('timer').count()).toBe(2);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 offers only what the permissions allow, and explains a refusal beside the form', async () => {
    const { client, openSignedIn } = world();
    const clearer = await createAdministrator(client, ['api:admin:auth:clearLoginLimit']);
    const limited = await openSignedIn('/login-limits?user=somebody&address=192.0.2.7', clearer);
    await limited.page.getByRole('button', { name: 'Clear limits of the name' }).waitFor();
    expect(await limited.page.getByRole('button', { name: 'Clear limits of the address' }).count()).toBe(0);
    expect(await limited.page.getByRole('button', { name: 'Refresh' }).count()).toBe(0);

    const { page } = await openSignedIn('/login-limits?user=somebody&address=nowhere');
    const refusal = page.getByRole('alert').filter({ hasText: 'That did not work' });
    await refusal.getByText('Request id').waitFor();
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('nowhere');
  });

  it('CON-1 writes the login limits in Chinese, within 360 pixels; CON-4 in an envelope no name is readable', async () => {
    const { mode, openSignedIn } = world();
    const name = nameOf('narrow');
    await guessUntil('LOGIN_FAILED', name, 2);
    const { page, sent, faults } = await openSignedIn('/login-limits', {
      locale: 'zh-CN',
      viewport: { width: 360, height: 740 },
    });
    await page.getByLabel('用户', { exact: true }).fill(name);
    await page.getByRole('button', { name: '搜索' }).click();
    await page.getByRole('status').filter({ hasText: '此用户名未被锁定' }).waitFor();
    await page.getByText('失败 2 次，上限 20 次').waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect(sent.some((request) => request.includes(name))).toBe(mode === 'OFF');
  });

  /** Guesses until so many guesses have had this outcome. A service under load refuses some without counting them. */
  async function guessUntil(outcome: 'LOGIN_FAILED' | 'LOGIN_LOCKED', username: string, times = 1): Promise<void> {
    let count = 0;
    for (let guesses = 0; count < times && guesses < MAX_GUESSES; guesses += 1) {
      if ((await guess(username)) === outcome) count += 1;
    }
    expect(count).toBe(times);
  }

  async function guess(username: string): Promise<string> {
    const guesser = createApiClient({ baseUrl: world().service.origin });
    const outcome = await guesser.signIn({ username, password: 'a guess' }).catch((error: unknown) => error);
    if (!(outcome instanceof RefusedError)) throw new Error('the guess was not refused', { cause: outcome });
    return outcome.code;
  }

  async function limitAddresses(value: number): Promise<void> {
    const { api } = world().client;
    const path = { key: IP_LIMIT };
    const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
    const params = { path, header: newKey() };
    dataOf(await api.PUT('/admin/system-parameters/{key}', { params, body: { value, version } }));
  }
}

/** Other scenarios must not count against it. */
function nameOf(purpose: string): string {
  return `${purpose}-${randomUUID().slice(0, 8)}`;
}
