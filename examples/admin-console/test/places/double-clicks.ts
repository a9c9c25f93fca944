import { randomInt, randomUUID } from 'node:crypto';
import { dataOf, newKey } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminForms, SIGN_IN_FORM } from '../forms/admin-forms.js';
import { APP_FORMS, SIGNED_OUT_FORMS } from '../forms/app-forms.js';
import { buttonOf, type Form } from '../forms/form.js';
import { createAccount } from '../support/accounts.js';
import { createAppUser } from '../support/app-user.js';
import type { ConsoleWorld } from '../support/console-world.js';
import { requestsOfDoubleClick } from '../support/double-click.js';

export function describeDoubleClicks(world: () => ConsoleWorld): void {
  const requestsOf = (page: Page, form: Form) => requestsOfDoubleClick(world(), page, form);

  /** Factors are added only while they are switched on. They are asked of nobody who has none. */
  async function setFactorModes(value: 'OPTIONAL' | 'OFF'): Promise<void> {
    const { api } = world().client;
    for (const audience of ['admin', 'app']) {
      const path = { key: `${audience}.auth.second-factor.mode` };
      const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
      const params = { path, header: newKey() };
      dataOf(await api.PUT('/admin/system-parameters/{key}', { params, body: { value, version } }));
    }
  }
  beforeAll(() => setFactorModes('OPTIONAL'));
  afterAll(() => setFactorModes('OFF'));

  const once = (forms: readonly Form[]) => forms.map(({ sends }) => `${sends}: 1`);

  it('CON-9 a double click on any button of an administrator sends one request', async () => {
    // A retry makes its own.
    const subject = `clicked-${randomUUID().slice(0, 8)}`;
    const forms = adminForms(subject);
    await createAccount(world(), { username: subject, displayName: subject, password: 'tidal-otter-92' });
    const { api, upload } = world().client;
    const permissions = ['api:admin:roles:list'];
    dataOf(await api.POST('/admin/roles', { body: { name: subject, permissions } }));
    await createAppUser(world());
    await upload(new File(['a,b'], `${subject}.csv`, { type: 'text/csv' }));
    const { page, faults } = await world().openSignedIn('/sessions');
    // A second session, which can be ended.
    await world().openSignedIn('/sessions');
    const found: string[] = [];
    for (const form of forms) found.push(await requestsOfDoubleClick(world(), page, form, { isLoaded: false }));
    expect(found).toEqual(once(forms));
    expect(faults).toEqual([]);
  }, 180_000);

  it('CON-9 a double click on the button of a sign-in sends one request, and so do those of an app user', async () => {
    const { page: admins } = await world().open('/');
    expect(await requestsOf(admins, SIGN_IN_FORM)).toBe(`${SIGN_IN_FORM.sends}: 1`);

    const { page } = await world().open('/app');
    const found: string[] = [];
    for (const form of SIGNED_OUT_FORMS) found.push(await requestsOf(page, form));
    await page.goto(`${world().origin}/console/app`);
    const mobile = `138${randomInt(1e8).toString().padStart(8, '0')}`;
    await page.getByLabel('Mobile number', { exact: true }).fill(mobile);
    await buttonOf(page, 'Get a code').click();
    await page.getByRole('complementary').getByRole('listitem').filter({ hasText: mobile }).getByRole('button').click();
    await expect.poll(() => page.getByLabel('Code', { exact: true }).inputValue()).toMatch(/^\d+$/);
    await buttonOf(page, 'Sign in').click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    for (const form of APP_FORMS) found.push(await requestsOf(page, form));
    expect(found).toEqual(once([...SIGNED_OUT_FORMS, ...APP_FORMS]));
  }, 180_000);
}
