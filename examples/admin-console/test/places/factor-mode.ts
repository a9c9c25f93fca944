import { dataOf, newKey } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

/** The mode of the second factor, which is OFF at first: where it is shown, and where it is changed. */
export function describeFactorMode(world: () => ConsoleWorld, pageIt: PageIt): void {
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function mode(audience: 'admin' | 'app') {
    const path = { key: `${audience}.auth.second-factor.mode` };
    return dataOf(await world().client.api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
  }

  async function switchOff(audience: 'admin' | 'app'): Promise<void> {
    const { key, version } = await mode(audience);
    const params = { path: { key }, header: newKey() };
    const body = { value: 'OFF', version };
    dataOf(await world().client.api.PUT('/admin/system-parameters/{key}', { params, body }));
  }

  pageIt.each([
    {
      locale: 'en-US',
      off: 'The second factor is switched off for this service.',
      link: 'Switch it on in the parameters',
      add: 'Add a second factor',
      save: 'Save',
    },
    {
      locale: 'zh-CN',
      off: '本服务已关闭第二因素',
      link: '在系统参数中开启',
      add: '添加第二因素',
      save: '保存',
    },
  ])('MFA-2 CON-2 while the mode is OFF the profile says so, and leads to the parameter: $locale', async (each) => {
    const { locale, off, link, add } = each;
    const { client, openSignedIn } = world();
    const owner = await createAdministrator(client, ['*']);
    const other = await createAdministrator(client, ['api:admin:system-parameters:read']);
    const { page, faults } = await openSignedIn('/profile', { ...owner, locale });
    await page.getByText(off).waitFor();
    expect(await button(page, add).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    const reader = await openSignedIn('/profile', { ...other, locale });
    await reader.page.getByText(off).waitFor();
    expect(await reader.page.getByRole('link', { name: link }).count()).toBe(0);

    try {
      await page.getByRole('link', { name: link }).click();
      await page.locator('[id="parameter-admin.auth.second-factor.mode"]').selectOption('OPTIONAL');
      await button(page, each.save).click();
      await page.getByText(/OFF → OPTIONAL$/).waitFor();
      await page.goBack();
      await button(page, add).waitFor();
    } finally {
      await switchOff('admin');
    }
    expect([...faults, ...reader.faults]).toEqual([]);
  });

  pageIt.each([
    {
      locale: 'en-US',
      save: 'Save',
      saved: 'Second factor of app users: OFF → OPTIONAL',
      changed: 'Changed by you, ',
    },
    { locale: 'zh-CN', save: '保存', saved: 'App 用户的第二因素：OFF → OPTIONAL', changed: '由您修改于 ' },
  ])('CON-2 SYS-2 offers the values of a parameter for choice, and says what was changed: $locale', async (each) => {
    const { openSignedIn } = world();
    const { page, faults } = await openSignedIn('/parameters?search=app.auth.second-factor.mode', {
      locale: each.locale,
    });
    const choice = page.getByRole('combobox').and(page.locator('[id="parameter-app.auth.second-factor.mode"]'));
    await choice.waitFor();
    expect(await choice.getByRole('option').allTextContents()).toEqual(['OFF', 'OPTIONAL', 'REQUIRED']);
    try {
      await choice.selectOption('OPTIONAL');
      await page.getByRole('button', { name: each.save, exact: true }).click();
      await page.getByText(each.saved, { exact: true }).waitFor();
      await page.getByText(each.changed).filter({ visible: true }).waitFor();
      expect((await mode('app')).value).toBe('OPTIONAL');
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      await switchOff('app');
    }
    expect(faults).toEqual([]);
  });
}
