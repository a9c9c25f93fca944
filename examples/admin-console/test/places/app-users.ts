import { dataOf } from '@sallyport/api-client';
import { expect } from 'vitest';
import { createAppUser } from '../support/app-user.js';
import type { ConsoleWorld } from '../support/console-world.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

export function describeAppUsers(world: () => ConsoleWorld, pageIt: PageIt): void {
  pageIt('CON-7 finds an app user by the number, disables and enables the user, and ends the sessions', async () => {
    const { client, openSignedIn } = world();
    const { mobile, masked } = await createAppUser(world(), 'Li Hua');
    const found = dataOf(await client.api.GET('/admin/app-users', { params: { query: { mobile } } }));
    const user = `Li Hua, ${masked} (${found.data[0]!.id})`;
    const { page, faults } = await openSignedIn('/app-users');
    await page.getByLabel('Number', { exact: true }).fill(mobile);
    await page.getByRole('button', { name: 'Search' }).click();
    const row = page.getByRole('row').filter({ hasText: masked });
    await row.getByText('Codes only').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const sessions = async () => {
      const found = await client.api.GET('/admin/sessions', { params: { query: { scope: 'all', user: mobile } } });
      return dataOf(found).data.length;
    };
    expect(await sessions()).toBe(1);

    await row.getByRole('button', { name: 'End the sessions' }).click();
    await page.getByRole('dialog').getByText(`Every session of ${user} ends at once.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText(`The sessions of ${user} have ended.`).waitFor();
    expect(await sessions()).toBe(0);

    for (const [act, mark] of [
      ['Disable', 1],
      ['Enable', 0],
    ] as const) {
      await row.getByRole('button', { name: act, exact: true }).click();
      await page.getByRole('dialog').getByText(`${user} can`).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: act, exact: true }).click();
      await page.getByText(`${user} is ${act.toLowerCase()}d.`).waitFor();
      await expect.poll(() => row.getByText('Disabled').count()).toBe(mark);
    }
    for (const [act, question] of [
      ['Reset second factors', `All second factors of ${user}`],
      ['Enrolment code', `With this code ${user} can`],
    ] as const) {
      await row.getByRole('button', { name: act }).click();
      await page.getByRole('dialog').getByText(question).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    }
    expect(faults).toEqual([]);
  });

  pageIt(
    'CON-1 CON-7 a question about an app user without a name has the number and the id, in Chinese too',
    async () => {
      const { client, openSignedIn } = world();
      const { mobile, masked } = await createAppUser(world());
      const found = dataOf(await client.api.GET('/admin/app-users', { params: { query: { mobile } } }));
      const { page, faults } = await openSignedIn(`/app-users?mobile=${encodeURIComponent(mobile)}`, {
        locale: 'zh-CN',
      });
      const row = page.getByRole('row').filter({ hasText: masked });
      await row.getByRole('button', { name: '停用' }).click();
      await page.getByRole('dialog').getByText(`${masked}（${found.data[0]!.id}）将无法登录`).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  pageIt('PWD-7 marks a user whom nobody has seen for long, and enables the user', async () => {
    const { masked } = await createAppUser(world());
    const { page, faults } = await world().openSignedIn('/app-users');
    const sent: unknown[] = [];
    // Nobody waits for days: the service says so of every user.
    await page.route(/\/admin\/app-users(?:\?.*)?$/, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      const inactive = sent.length === 0;
      await route.fulfill({ response, json: { ...rest, data: data.map((user: object) => ({ ...user, inactive })) } });
    });
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON());
    });
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: masked }).first();
    await row.getByText('Unused for long').waitFor();
    expect(await row.getByText('Disabled').count()).toBe(0);
    await row.getByRole('button', { name: 'Disable', exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByText(new RegExp(`${masked.replace(/[+*]/g, '\\$&')} \\([0-9a-f-]{36}\\) is enabled\\.`)).waitFor();
    await row.getByText('Unused for long').waitFor({ state: 'detached' });
    expect(sent).toEqual([{ disabled: false }]);
    expect(faults).toEqual([]);
  });

  pageIt('CON-7 shows what became of each message, without its code', async () => {
    const { masked } = await createAppUser(world());
    const { page, faults } = await world().openSignedIn('/notifications');
    // Other numbers may have the same two digits. The newest message is the first.
    const row = page.getByRole('row').filter({ hasText: masked }).first();
    await row.getByText(/^(?:Sent|Not sent: the code was used or withdrawn)$/).waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/\b\d{6}\b/);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
}
