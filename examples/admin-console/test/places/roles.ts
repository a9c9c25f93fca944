import { dataOf } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import type { ConsoleWorld } from '../support/console-world.js';
import type { PageIt } from '../support/page-tests.js';

const PASSWORD = 'tidal-otter-92';

export function describeRoles(world: () => ConsoleWorld, pageIt: PageIt): void {
  async function createRole(name: string, permissions: string[]) {
    return dataOf(await world().client.api.POST('/admin/roles', { body: { name, permissions } })).data;
  }
  async function readRole(id: string) {
    return dataOf(await world().client.api.GET('/admin/roles/{id}', { params: { path: { id } } })).data;
  }

  it('CON-2 creates a role from a whole group and a searched permission, and tells how many are chosen', async () => {
    const { page, faults } = await world().openSignedIn('/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    const dialog = page.getByRole('dialog', { name: 'New role' });
    await dialog.getByLabel('Name', { exact: true }).fill('Cashiers');
    await dialog.getByRole('checkbox', { name: /^Payments/ }).check();
    await dialog.getByText(/^3 of \d+ chosen$/).waitFor();
    await dialog.getByLabel('Search permissions').fill('audit-records:list');
    await dialog.getByRole('checkbox', { name: 'Search the audit log' }).check();
    await dialog.getByText(/^4 of \d+ chosen$/).waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Cashiers.*4 of \d+/ }).waitFor();
    await page
      .getByRole('row', { name: /Cashiers/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /Cashiers/ }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 shows both choices where two administrators change the same role', async () => {
    const { client, openSignedIn } = world();
    const { id } = await createRole('Readers', ['api:admin:roles:list']);
    const { page, faults } = await openSignedIn('/roles');
    await page
      .getByRole('row', { name: /Readers/ })
      .getByRole('button', { name: 'Change' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Readers' });
    await dialog.getByRole('checkbox', { name: 'Make payments' }).check();
    const permissions = ['api:admin:roles:list', 'api:admin:sessions:list'];
    dataOf(await client.api.PUT('/admin/roles/{id}', { params: { path: { id } }, body: { permissions } }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('radio', { name: /^Yours: 2 chosen; only here: Make payments/ }).waitFor();
    await dialog.getByRole('radio', { name: /^Saved meanwhile: 2 chosen; only here: See the sessions/ }).check();
    // The choice is where the user goes on from.
    await dialog.getByRole('checkbox', { name: 'Make payments' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await readRole(id)).permissions).toEqual(['api:admin:payments:create', ...permissions]);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 offers only what the user may grant, and shows the roles beyond', async () => {
    const { client, openSignedIn } = world();
    const role = await createRole('Role makers', [
      'api:admin:roles:list',
      'api:admin:roles:create',
      'api:admin:roles:update',
      'api:admin:payments:list',
    ]);
    const account = { username: 'maker', displayName: 'Maker', roleIds: [role.id], password: PASSWORD };
    await createAccount(world(), account);
    const { page, faults } = await openSignedIn('/roles', { username: 'maker', password: PASSWORD });
    await page
      .getByRole('row', { name: /Full access/ })
      .getByRole('button', { name: 'View' })
      .click();
    await page.getByText('It has permissions that you do not hold.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);

    await page.getByRole('button', { name: 'New role' }).click();
    const dialog = page.getByRole('dialog', { name: 'New role' });
    await dialog.getByLabel('Name', { exact: true }).fill('Small');
    expect(await dialog.getByRole('checkbox', { name: 'Make payments' }).isDisabled()).toBe(true);
    expect(await dialog.getByRole('checkbox', { name: 'Every permission' }).count()).toBe(0);
    // The box of the group takes what may be granted of it.
    await dialog.getByRole('checkbox', { name: /^Payments/ }).click();
    await dialog.getByText(/^1 of \d+ chosen$/).waitFor();

    // The right goes while the form is open: the service refuses, and the form tells which one it was.
    const permissions = role.permissions.filter((code) => code !== 'api:admin:payments:list');
    dataOf(await client.api.PUT('/admin/roles/{id}', { params: { path: { id: role.id } }, body: { permissions } }));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('You can grant and change only permissions that you hold yourself.').waitFor();
    await dialog.getByText('Only somebody who holds these permissions can save this role.').waitFor();
    await dialog.getByRole('checkbox', { name: 'List and search payments' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'List roles' }).check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Small.*1 of \d+/ }).waitFor();
    expect(faults).toEqual([]);
  });
}
