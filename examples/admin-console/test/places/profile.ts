import { expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import type { PageIt } from '../support/page-tests.js';

const OLD = 'tidal-otter-92';
const NEW = 'quiet-heron-38';

export function describeProfile(world: () => ConsoleWorld, pageIt: PageIt): void {
  it('CON-2 changes the own name and password, and tells that every session ends', async () => {
    const { openSignedIn } = world();
    await createAccount(world(), { username: 'noor', displayName: 'Noor', password: OLD });
    const { page, sent, faults } = await openSignedIn('/profile', { username: 'noor', password: OLD });
    await page.getByText('You have no permission.').waitFor();
    await page.getByLabel('Display name').fill('Noor Haddad');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'User menu: Noor Haddad' }).waitFor();

    await page.getByText('A new password ends all your sessions at once').waitFor();
    await page.getByLabel('Old password').fill('wrong-otter');
    await page.getByLabel('New password').fill(NEW);
    await page.getByLabel('Repeat the password').fill(NEW);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The old password is wrong.').first().waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(NEW);
    await page.getByLabel('Old password').fill(OLD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password has been changed.').waitFor();
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' });
    await signIn.getByLabel('Password', { exact: true }).fill(NEW);
    await submitSignIn(signIn);
    await signIn.waitFor({ state: 'detached' });
    expect(sent.filter((request) => request.includes(OLD) || request.includes(NEW))).toEqual([]);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 reads the own permissions by group, in the language of the page', async () => {
    const { page, faults } = await world().openSignedIn('/profile', { locale: 'zh-CN' });
    await page.getByRole('heading', { name: '付款' }).waitFor();
    await page.getByText('查看和搜索付款列表').waitFor();
    expect(faults).toEqual([]);
  });
}
