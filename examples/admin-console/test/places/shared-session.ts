import { dataOf } from '@sallyport/api-client';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';

const SIGNED_IN = { 'en-US': /^User menu/, 'zh-CN': /^用户菜单/ };
const REASON = {
  'en-US': 'Your session was ended in another tab of this browser.',
  'zh-CN': '会话已在此浏览器的其他标签页中结束。',
};

/** Has the pages of a context say what a server with `SERVICE_CONSOLE_SESSION=browser` writes into them. */
async function chooseBrowser(context: BrowserContext): Promise<void> {
  await context.route(/\/console\/[a-z-]*$/, async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const html = await response.text();
    expect(html).toContain('<meta name="console-session" content="tab"');
    await route.fulfill({ response, body: html.replace('content="tab"', 'content="browser"') });
  });
}

const hasSignIn = (page: Page) => page.locator('input[autocomplete="username"]').isVisible();
const inStorage = (page: Page) =>
  page.evaluate(() => [sessionStorage.getItem('sallyport.token'), JSON.stringify(localStorage), document.cookie]);

export function describeSharedSession(world: () => ConsoleWorld): void {
  it.each(['en-US', 'zh-CN'] as const)(
    'CON-9 a new tab gets the session of an open one, where the operator chose it, and a sign-out ends both: %s',
    async (locale) => {
      const account = await createAdministrator(world().client, []);
      const { page, faults } = await world().openSignedIn('/profile', { ...account, locale });
      const context = page.context();
      await chooseBrowser(context);
      await page.reload();
      await page.getByRole('button', { name: SIGNED_IN[locale] }).waitFor();

      const next = await context.newPage();
      // A tab answers late on a busy machine, and a reload asks again.
      const signsIn = async () => {
        await next.goto(`${world().origin}/console/profile`);
        const isSignedIn = next.getByRole('button', { name: SIGNED_IN[locale] });
        return Promise.race([
          isSignedIn.waitFor().then(() => true),
          next
            .locator('input[autocomplete="username"]')
            .waitFor()
            .then(() => false),
        ]);
      };
      await expect.poll(signsIn, { timeout: 30_000 }).toBe(true);
      const [token, local, cookie] = await inStorage(next);
      expect([token, cookie]).toEqual([(await inStorage(page))[0], '']);
      expect(token).toMatch(/\./);
      expect(local).not.toContain(token);
      // The service knows one session.
      const { data } = dataOf(
        await world().client.api.GET('/admin/sessions', {
          params: { query: { scope: 'all', user: account.username } },
        }),
      );
      expect(data).toHaveLength(1);
      // Another origin of the same server has a channel of its own.
      const other = await context.newPage();
      await other.goto(`${world().origin.replace('127.0.0.1', 'localhost')}/console/profile`);
      await expect.poll(() => hasSignIn(other)).toBe(true);

      await next.getByRole('button', { name: SIGNED_IN[locale] }).click();
      await next.getByRole('menuitem', { name: locale === 'zh-CN' ? '退出登录' : 'Sign out' }).click();
      await page.getByText(REASON[locale]).waitFor();
      expect(await page.locator('body').textContent()).not.toContain(account.username);
      await page.reload();
      await page.getByText(REASON[locale]).waitFor();
      expect([await hasSignIn(page), (await inStorage(page))[0]]).toEqual([true, null]);
      expect(faults).toEqual([]);
    },
    90_000,
  );

  it('CON-9 by default a new tab gets nothing, and the tabs say nothing to each other', async () => {
    const { page } = await world().openSignedIn('/profile');
    const next = await page.context().newPage();
    await next.addInitScript("globalThis.BroadcastChannel = class { constructor() { throw new Error('opened') } }");
    await next.goto(`${world().origin}/console/profile`);
    await expect.poll(() => hasSignIn(next)).toBe(true);
    const heard = await page.evaluate(async () => {
      const channel = new BroadcastChannel('sallyport.token');
      const messages: unknown[] = [];
      channel.onmessage = ({ data }) => messages.push(data);
      channel.postMessage({ kind: 'ask', from: 'a stranger' });
      await new Promise((resolve) => setTimeout(resolve, 500));
      return messages;
    });
    expect(heard).toEqual([]);
  });
}
