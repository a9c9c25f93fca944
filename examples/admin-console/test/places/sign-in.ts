import { gzipSync } from 'node:zlib';
import { dataOf } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import { ADMIN, type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import type { PageIt } from '../support/page-tests.js';
import { untilQuiet } from '../support/quiet-page.js';

/** Of the scripts of a sign-in page, the envelope client included, gzipped (CON-1). */
const MAX_SIGN_IN_BYTES = 145_000;

const CAPTCHA_ENABLED = 'admin.auth.captcha.enabled';

export function describeSignIn(world: () => ConsoleWorld, pageIt: PageIt): void {
  async function setCaptcha(value: boolean): Promise<void> {
    const { api } = world().client;
    const path = { key: CAPTCHA_ENABLED };
    const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
    const header = { 'Idempotency-Key': crypto.randomUUID() };
    dataOf(await api.PUT('/admin/system-parameters/{key}', { params: { path, header }, body: { value, version } }));
  }

  pageIt.each([
    { side: 'administrators', path: '/', field: 'Username' },
    { side: 'app users', path: '/app', field: 'Mobile number' },
  ])('CON-1 the sign-in page of $side loads at most 145 kB of script, gzipped', async ({ path, field }) => {
    const { page } = await world().open('/not-a-page');
    // The outbox is loaded in development only.
    await page.route('**/dev/**', (route) => route.abort());
    await page.goto(`${world().origin}/console${path}`);
    await page.getByLabel(field, { exact: true }).waitFor();
    await untilQuiet(page);
    // Those of this document: on a busy machine the page before it still loads.
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.js')),
    );
    const sizes = await Promise.all(
      [...new Set(scripts)].map(async (url) => gzipSync(new Uint8Array(await (await fetch(url)).arrayBuffer())).length),
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SIGN_IN_BYTES);
  });

  pageIt(
    'CON-1 CON-2 the sign-in page begins in its first field, and loads what comes next once the user types',
    async () => {
      const { page, sent } = await world().open('/');
      await page.getByLabel('Username', { exact: true }).waitFor();
      await untilQuiet(page);
      const count = () => sent.filter((request) => /^GET \S+\.js\n/.test(request)).length;
      const before = count();
      const name = page.getByLabel('Username', { exact: true });
      expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
      await page.keyboard.press('a');
      await expect.poll(count).toBeGreaterThan(before);
      // A lost network is explained without the network.
      await untilQuiet(page);
      await page.context().setOffline(true);
      await page.getByLabel('Username', { exact: true }).fill('nobody');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').getByText('The service could not be reached.').waitFor();
    },
  );

  pageIt('CON-1 no script writes markup into the page, or loads a script of another place', async () => {
    const { page } = await world().open('/');
    await page.getByLabel('Username', { exact: true }).waitFor();
    const refused = await page.evaluate(() => {
      const attempts: readonly (() => unknown)[] = [
        () => document.body.insertAdjacentHTML('beforeend', '<b>markup</b>'),
        () => new DOMParser().parseFromString('<b>markup</b>', 'text/html'),
        () => new Worker('https://elsewhere.example/assets/worker.js'),
        () => new Worker('/console/icon.svg'),
        () => document.body.setAttribute('onclick', 'void 0'),
      ];
      return attempts.map((attempt) => {
        try {
          attempt();
          return false;
        } catch {
          return true;
        }
      });
    });
    expect(refused).toEqual([true, true, true, true, true]);
    expect(await page.evaluate(() => 'trustedTypes' in window)).toBe(true);
  });

  pageIt('CON-1 CON-2 the eye of a password is reached and pressed by keyboard, and keeps what was typed', async () => {
    const { page } = await world().open('/');
    // The eye's name has no part of the field's: a program that looks for the field finds one.
    const field = page.getByLabel('Password');
    await field.fill('typed');
    await field.press('Tab');
    const eye = page.getByRole('button', { name: 'Show what is typed', exact: true });
    expect(await eye.evaluate((element) => element === document.activeElement)).toBe(true);
    for (const [key, type] of [
      ['Enter', 'text'],
      ['Space', 'password'],
    ] as const) {
      await page.keyboard.press(key);
      expect([await field.getAttribute('type'), await field.inputValue()]).toEqual([type, 'typed']);
    }
  });

  pageIt('CON-2 a wrong password is refused with a sentence and the request id, and the name stays', async () => {
    const { page, faults } = await world().open('/');
    await page.getByLabel('Username', { exact: true }).fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const refusal = page.getByRole('alert');
    await refusal.getByText('Request id').waitFor();
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Username', { exact: true }).inputValue()).toBe('nobody');
    expect(faults).toEqual([]);
  });

  pageIt(
    'CON-2 where the service asks for a captcha, the user chooses picture or proof of work',
    async () => {
      await setCaptcha(true);
      try {
        const { page, sent, faults } = await world().open('/');
        await page.getByLabel('Username', { exact: true }).fill(ADMIN.username);
        await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
        // The proof of work is offered first: it asks nothing of the user.
        await page.getByText('Your browser has solved the puzzle.').waitFor({ timeout: 60_000 });
        await page.getByText('Picture', { exact: true }).click();
        await page.getByRole('img', { name: 'text to read' }).waitFor();
        await page.getByText(/^7 of these, capital or small: A E G/).waitFor();
        await page.getByLabel('Text in the picture').fill('wrong');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').waitFor();

        await page.getByText('Proof of work', { exact: true }).click();
        await page.getByText('Your browser has solved the puzzle.').waitFor({ timeout: 60_000 });
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('button', { name: /^User menu/ }).waitFor();
        expect(faults).toEqual([]);
        expect(sent.join('\n')).not.toContain(ADMIN.password);
      } finally {
        await setCaptcha(false);
      }
    },
    120_000,
  );

  it('CON-4 what leaves the page holds no password, and in mode REQUIRED neither its digest nor the name', async () => {
    const { mode, openSignedIn, client } = world();
    const { sent } = await openSignedIn('/sessions', { byForm: true });
    const text = sent.join('\n');
    expect(text).toContain('/admin/auth/login');
    expect(text).not.toContain(ADMIN.password);
    const { hashPassword } = await import('@sallyport/api-client');
    expect(text.includes(hashPassword(ADMIN.password))).toBe(mode === 'OFF');
    expect(text.includes(`"username":"${ADMIN.username}"`)).toBe(mode === 'OFF');
    expect(client.token).not.toBeNull();
  });

  pageIt(
    'CON-2 the next user in the same tab sees nothing of the last one, not even until the first answer',
    async () => {
      const last = await createAdministrator(world().client, []);
      const next = await createAdministrator(world().client, []);
      const { page } = await world().openSignedIn('/sessions?user=somebody', { ...last, byForm: true });
      await page.getByText('This session').waitFor();
      await page.getByRole('button', { name: /^User menu/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Username', { exact: true }).fill(next.username);
      expect(new URL(page.url()).search).toBe('');

      await page.route('**/admin/sessions*', () => {});
      await page.getByLabel('Password', { exact: true }).fill(next.password);
      await submitSignIn(page);
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
      await page.getByRole('main').getByRole('status').waitFor();
      expect(await page.getByRole('main').textContent()).not.toContain('This session');
      expect(await page.locator('body').textContent()).not.toContain(last.username);
    },
  );

  pageIt(
    'CON-2 a sign-out ends the session here at once, and says so while the service does not confirm it',
    async () => {
      const { page } = await world().openSignedIn('/sessions');
      await page.route('**/auth/logout', () => {});
      await page.getByRole('button', { name: /^User menu/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Username', { exact: true }).waitFor();
      expect(await page.evaluate("sessionStorage.getItem('sallyport.token')")).toBeNull();
      await page.getByText('The service did not confirm it').waitFor();
    },
  );

  // The English sentence stands in the dialog over the place Watch, too.
  pageIt(
    'CON-9 a reload after a session was ended elsewhere says why, until the next sign-in, in Chinese',
    async () => {
      const account = await createAdministrator(world().client, []);
      const { page } = await world().openSignedIn('/sessions', { ...account, locale: 'zh-CN' });
      const { api } = world().client;
      const { data } = dataOf(
        await api.GET('/admin/administrators', { params: { query: { name: account.username } } }),
      );
      const id = data[0]?.id ?? '';
      dataOf(await api.DELETE('/admin/administrators/{id}/sessions', { params: { path: { id } } }));
      for (let reload = 1; reload <= 2; reload += 1) {
        await page.reload();
        const reason = '会话已被终止：由您在别处操作、由管理员操作，或因多次验证失败。';
        await page.getByRole('status').getByText(reason).waitFor();
      }
      await page.getByLabel('用户名', { exact: true }).fill(account.username);
      await page.getByLabel('密码', { exact: true }).fill(account.password);
      await submitSignIn(page, true);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/console/sessions');
      expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual(['sallyport.token']);
    },
  );

  it('CON-2 a session is kept over a reload, and ended by signing out', async () => {
    const { page } = await world().openSignedIn('/sessions', { byForm: true });
    await page.reload();
    await page.getByRole('button', { name: /^User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Username', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Username', { exact: true }).waitFor();
  });
}
