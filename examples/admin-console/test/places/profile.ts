import { dataOf } from '@sallyport/api-client';
import { expect } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import type { PageIt } from '../support/page-tests.js';

const OLD = 'tidal-otter-92';
const NEW = 'quiet-heron-38';

export function describeProfile(world: () => ConsoleWorld, pageIt: PageIt): void {
  pageIt('CON-2 changes the own name and password, and tells that every session ends', async () => {
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

  pageIt.each([
    {
      locale: 'en-US',
      title: 'Change your password',
      labels: ['Username', 'Password', 'Old password', 'New password', 'Repeat the password'],
      change: 'Change password',
      ended: 'the password of your account was changed',
    },
    {
      locale: 'zh-CN',
      title: '修改密码',
      labels: ['用户名', '密码', '原密码', '新密码', '再次输入密码'],
      change: '修改密码',
      ended: '账号密码已修改',
    },
  ])('PWD-7: leads to the change of a password that has to be changed, and then on: $locale', async (texts) => {
    const { locale, title, change, ended } = texts;
    const [name, password, oldPassword, newPassword, repeated] = texts.labels as [
      string,
      string,
      string,
      string,
      string,
    ];
    const username = `first-${locale.toLowerCase()}`;
    await createAccount(world(), { username, displayName: 'First', password: OLD });
    await setFirstChange(world(), true);
    try {
      const { page, faults } = await world().open('/payments', { locale });
      const isChinese = locale === 'zh-CN';
      await page.getByLabel(name, { exact: true }).fill(username);
      await page.getByLabel(password, { exact: true }).fill(OLD);
      await submitSignIn(page, isChinese);
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByLabel(oldPassword, { exact: true }).fill(OLD);
      await dialog.getByLabel(newPassword, { exact: true }).fill(NEW);
      await dialog.getByLabel(repeated, { exact: true }).fill(NEW);
      await dialog.getByRole('button', { name: change, exact: true }).click();
      await page.getByText(ended).waitFor();
      await page.getByLabel(name, { exact: true }).fill(username);
      await page.getByLabel(password, { exact: true }).fill(NEW);
      await submitSignIn(page, isChinese);
      await page.getByRole('button', { name: isChinese ? /^用户菜单/ : /^User menu/ }).waitFor();
      expect(faults).toEqual([]);
    } finally {
      await setFirstChange(world(), false);
    }
  });

  pageIt('CON-2 reads the own permissions by group, in the language of the page', async () => {
    const { page, faults } = await world().openSignedIn('/profile', { locale: 'zh-CN' });
    await page.getByRole('heading', { name: '付款' }).waitFor();
    await page.getByText('查看和搜索付款列表').waitFor();
    expect(faults).toEqual([]);
  });
}

async function setFirstChange({ client: { api } }: ConsoleWorld, value: boolean): Promise<void> {
  const path = { key: 'admin.auth.password.force-first-change' };
  const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
  const header = { 'Idempotency-Key': crypto.randomUUID() };
  dataOf(await api.PUT('/admin/system-parameters/{key}', { params: { path, header }, body: { value, version } }));
}
