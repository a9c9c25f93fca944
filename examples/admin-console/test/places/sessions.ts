import { createApiClient, dataOf } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import type { PageIt } from '../support/page-tests.js';
import { writeScreenshot } from '../support/screenshots.js';

const CHOSEN = {
  locale: 'zh-CN',
  end: '终止所选会话（3）',
  choose: '选择本页全部',
  own: '您将在此退出登录',
} as const;

export function describeSessions(world: () => ConsoleWorld, pageIt: PageIt): void {
  it('CON-2 lists the sessions of all users, and ends one: its page asks to sign in again and keeps what was typed', async () => {
    const { openSignedIn } = world();
    const { page, faults } = await openSignedIn('/sessions', { byForm: true });
    // The newest session is the first one. The client of the tests may sign in before a tab does.
    const victim = await openSignedIn('/payments');
    await page.getByLabel('User', { exact: true }).fill('admin');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('user=admin');
    const row = page.getByRole('row').filter({ hasText: 'This session' });
    await row.getByText(/^Chrome \d+ on Linux$/).waitFor();
    expect(await row.locator('[title^="Mozilla/5.0"]').count()).toBe(1);
    // By default, 30 minutes after the last request, long before the 12 hours of its end.
    await row.getByText('if not used').waitFor();
    const moments = (await row.getByRole('cell').allInnerTexts()).map((text) => Date.parse(text.split('\n')[0] ?? ''));
    const [lastSeenAt = 0, expiresAt = 0] = moments.filter((moment) => !Number.isNaN(moment)).slice(-2);
    expect(expiresAt - lastSeenAt).toBe(30 * 60_000);
    await page.getByRole('button', { name: 'End the session' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'End the session' });
    await dialog.getByText('The session of admin').waitFor();
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('The session has ended.').waitFor();
    expect(faults).toEqual([]);

    await victim.page.reload();
    await victim.page.getByLabel('Username', { exact: true }).waitFor();
  });

  // The English texts stand in the next scenario.
  pageIt(
    'CON-7 chosen sessions end at once, each with a record, the own one last and only when it is asked for, in Chinese',
    async () => {
      const { locale, end, choose, own } = CHOSEN;
      const { client, openSignedIn } = world();
      const account = await createAdministrator(client, []);
      const { page, sent, faults } = await openSignedIn('/sessions', { ...account, locale });
      let actor = '';
      for (let each = 1; each <= 2; each += 1) {
        const other = createApiClient({ baseUrl: world().origin });
        await other.signIn(account);
        actor = `admin:${dataOf(await other.api.GET('/admin/profile')).data.id}`;
      }
      await page.reload();
      await page.getByRole('checkbox', { name: choose }).check();
      await page.getByRole('button', { name: end }).click();
      const dialog = page.getByRole('dialog', { name: end });
      await dialog.getByText(account.username).waitFor();
      await dialog.getByText(own).waitFor();
      expect(sent.filter((request) => request.startsWith('DELETE'))).toEqual([]);
      await writeScreenshot(page, `sessions-chosen-${locale}`);
      await dialog.getByRole('button', { name: end }).click();
      await page.locator('input[autocomplete="username"]').waitFor();

      const filter = { params: { query: { action: 'session.revoke', actor, size: 20 } } };
      const { data } = dataOf(await client.api.GET('/admin/audit-records', filter));
      const { data: found } = dataOf(
        await client.api.GET('/admin/sessions', { params: { query: { scope: 'all', user: account.username } } }),
      );
      expect([data.map(({ outcome }) => outcome), found]).toEqual([Array(3).fill('success'), []]);
      expect(faults).toEqual([]);
    },
  );

  pageIt('CON-7 what is refused stays chosen, is explained, and keeps the own session', async () => {
    const { client, openSignedIn } = world();
    const permissions = ['api:admin:sessions:list', 'api:admin:sessions:end'];
    const account = await createAdministrator(client, permissions);
    const { page } = await openSignedIn('/sessions', account);
    const other = await createAdministrator(client, []);
    const otherClient = createApiClient({ baseUrl: world().origin });
    await otherClient.signIn(other);
    await page.reload();
    // One of the full administrator, one that may be ended, and the own one.
    for (const name of ['admin', other.username, account.username]) {
      await page
        .getByRole('checkbox', { name: `Choose ${name}`, exact: true })
        .first()
        .check();
    }
    const label = 'End the chosen sessions (3)';
    await page.getByRole('button', { name: label }).click();
    const dialog = page.getByRole('dialog', { name: label });
    await dialog.getByText('you are signed out here').waitFor();
    await dialog.getByRole('button', { name: label }).click();
    await page.getByText('Sessions ended: 1 of 3.').waitFor();
    await page.getByRole('dialog').getByRole('alert').getByText('Request id').waitFor();
    await page.getByRole('checkbox', { name: `Choose ${other.username}` }).waitFor({ state: 'detached' });
    await expect.poll(() => otherClient.api.GET('/admin/profile').then(({ response }) => response.status)).toBe(401);
    expect(await page.getByRole('checkbox', { name: `Choose ${account.username}` }).isChecked()).toBe(true);
  });
}
