import { dataOf } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import type { ConsoleWorld } from '../support/console-world.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

const PASSWORD = 'tidal-otter-92';

export function describeAdministrators(world: () => ConsoleWorld, pageIt: PageIt): void {
  async function accountOf(name: string) {
    const { data } = dataOf(await world().client.api.GET('/admin/administrators', { params: { query: { name } } }));
    return data.find(({ username }) => username === name);
  }

  it('CON-2 creates an administrator: the rules are shown, a common password is refused, none leaves the page', async () => {
    const { openSignedIn } = world();
    const { page, sent, faults } = await openSignedIn('/administrators');
    await page.getByRole('button', { name: 'New administrator' }).click();
    const dialog = page.getByRole('dialog', { name: 'New administrator' });
    await dialog.getByText('at least 6 characters').waitFor();
    await dialog.getByLabel('Username').fill('Grace');
    await dialog.getByLabel('Display name').fill('Grace Hopper');
    await dialog.getByLabel('Password', { exact: true }).fill('password');
    await dialog.getByLabel('Repeat the password').fill('password');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This password is too easy to guess').waitFor();
    // The reason stands above the buttons, which stay in sight.
    const bottomOf = async () => await dialog.getByRole('alert').evaluate((it) => it.getBoundingClientRect().bottom);
    const buttons = await dialog
      .getByRole('button', { name: 'Create' })
      .evaluate((it) => it.getBoundingClientRect().top);
    await expect.poll(bottomOf).toBeLessThanOrEqual(buttons);
    expect(await dialog.getByLabel('Username').inputValue()).toBe('Grace');
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByLabel('Repeat the password').fill(PASSWORD);
    await dialog.getByLabel('Full access').check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Name', { exact: true }).fill('grace');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('name=grace');
    await page.getByRole('row', { name: /Grace Hopper.*Full access/ }).waitFor();
    expect(sent.filter((request) => request.includes(PASSWORD))).toEqual([]);
    expect(faults).toEqual([]);
    const other = await openSignedIn('/profile', { username: 'grace', password: PASSWORD });
    await other.page.getByText('Your own account: grace.').waitFor();
  });

  pageIt(
    'USR-6 CON-2 asks to confirm a name that looks like another one, and marks those of mixed scripts alone',
    async () => {
      const { openSignedIn } = world();
      for (const username of ['liul', 'д-mixed']) {
        await createAccount(world(), { username, displayName: `Name of ${username}`, password: PASSWORD });
      }
      const { page, faults } = await openSignedIn('/administrators');
      await page.getByRole('button', { name: 'New administrator' }).click();
      const dialog = page.getByRole('dialog', { name: 'New administrator' });
      await dialog.getByLabel('Username').fill('liu1');
      await dialog.getByLabel('Display name').fill('Liu Yi');
      await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await dialog.getByLabel('Repeat the password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('Username looks like liul').waitFor();
      await dialog.getByLabel('It belongs to somebody else').check();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor({ state: 'detached' });
      // The other scenarios have created more accounts than a page of the list has.
      await page.goto(`${world().origin}/console/administrators?name=liu`);
      await page.getByRole('row', { name: /Liu Yi/ }).waitFor();
      expect(await page.getByText('Mixed scripts').count()).toBe(0);
      await page.goto(`${world().origin}/console/administrators?name=${encodeURIComponent('д')}`);
      await page.getByRole('row', { name: /д-mixed.*Mixed scripts|Mixed scripts.*д-mixed/s }).waitFor();
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'CON-2 shows both values where two administrators change the same account, and saves the chosen ones',
    async () => {
      const { client, openSignedIn } = world();
      const { id } = await createAccount(world(), { username: 'ada', displayName: 'Ada', password: PASSWORD });
      const { page, faults } = await openSignedIn('/administrators?name=ada');
      await page.getByRole('row', { name: /Ada/ }).getByRole('button', { name: 'Change' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change ada' });
      await dialog.getByLabel('Display name').fill('Ada Lovelace');
      dataOf(
        await client.api.PUT('/admin/administrators/{id}', {
          params: { path: { id } },
          body: { displayName: 'Ada King', disabled: true },
        }),
      );
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('radio', { name: 'Saved meanwhile: Ada King' }).waitFor();
      expect(await dialog.getByRole('radio', { name: 'Yours: Ada Lovelace' }).isChecked()).toBe(true);
      // What the user did not touch is as the other one saved it.
      expect(await dialog.getByRole('radio', { name: 'Saved meanwhile: Disabled' }).isChecked()).toBe(true);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await accountOf('ada')).toMatchObject({ displayName: 'Ada Lovelace', disabled: true, version: 3 });
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'PWD-7 marks an administrator whom nobody has seen for long, in both languages, and enables the account',
    async () => {
      await createAccount(world(), { username: 'unused', displayName: 'Unused', password: PASSWORD });
      for (const [locale, mark, enable] of [
        ['en-US', 'Unused for long', 'Enable'],
        ['zh-CN', '长期未使用', '启用'],
      ] as const) {
        const { page, faults } = await world().openSignedIn('/administrators?name=unused', { locale });
        const sent: unknown[] = [];
        // Nobody waits for days: the service says so of every account.
        await page.route(/\/admin\/administrators(?:\?.*)?$/, async (route) => {
          const response = await route.fetch();
          const { data, ...rest } = await response.json();
          const inactive = sent.length === 0;
          await route.fulfill({
            response,
            json: { ...rest, data: data.map((each: object) => ({ ...each, inactive })) },
          });
        });
        page.on('request', (request) => {
          if (request.method() === 'PUT') sent.push(request.postDataJSON());
        });
        await page.reload();
        const row = page.getByRole('row', { name: /Unused/ });
        await row.getByText(mark, { exact: true }).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await row.getByRole('button', { name: enable, exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: enable, exact: true }).click();
        await row.getByText(mark, { exact: true }).waitFor({ state: 'detached' });
        expect(sent).toEqual([{ disabled: false }]);
        expect(faults).toEqual([]);
      }
    },
  );

  pageIt(
    'CON-2 resets a password, ends sessions, and deletes: each says what it does; nothing of that for oneself',
    async () => {
      const { openSignedIn } = world();
      await createAccount(world(), { username: 'linus', displayName: 'Linus', password: 'to-be-replaced-7' });
      const { page, faults } = await openSignedIn('/administrators');
      const own = page.getByRole('row', { name: /You/ });
      await own.getByRole('button', { name: 'Change' }).waitFor();
      expect(await own.getByRole('button').count()).toBe(1);

      const row = page.getByRole('row', { name: /linus/ });
      await row.getByRole('button', { name: 'Reset password' }).click();
      const reset = page.getByRole('dialog', { name: 'Reset the password of linus' });
      await reset.getByText('All sessions of linus end at once.').waitFor();
      await reset.getByLabel('New password').fill(PASSWORD);
      await reset.getByLabel('Repeat the password').fill(`${PASSWORD}!`);
      await reset.getByRole('button', { name: 'Reset password' }).click();
      await reset.getByText('The two passwords differ.').waitFor();
      await reset.getByLabel('Repeat the password').fill(PASSWORD);
      await reset.getByRole('button', { name: 'Reset password' }).click();
      await reset.waitFor({ state: 'detached' });

      const theirs = await openSignedIn('/profile', { username: 'linus', password: PASSWORD });
      await row.getByRole('button', { name: 'End all sessions' }).click();
      const end = page.getByRole('dialog', { name: 'End all sessions' });
      await end.getByRole('button', { name: 'End all sessions' }).click();
      await page.getByText('All sessions of linus have ended.').waitFor();
      await theirs.page.getByLabel('Display name').fill('Linus the Second');
      await theirs.page.getByRole('button', { name: 'Save' }).click();
      await theirs.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();

      await row.getByRole('button', { name: 'Delete' }).click();
      const remove = page.getByRole('dialog', { name: 'Delete' });
      await remove.getByText('The account linus will be deleted for good').waitFor();
      await remove.getByRole('button', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
      expect(await accountOf('linus')).toBeUndefined();
      expect(faults).toEqual([]);
    },
  );
}
