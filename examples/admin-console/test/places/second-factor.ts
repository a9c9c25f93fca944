import { dataOf } from '@sallyport/api-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FACTOR_FORMS, secondStepForm } from '../forms/factor-forms.js';
import { inTheApp, newMobile, sendCode } from '../support/app-sign-in.js';
import { requestsOfDoubleClick } from '../support/double-click.js';
import {
  addAuthenticator,
  type FactorWorld,
  firstStep,
  named,
  openFactorWorld,
  signedIn,
} from '../support/factor-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { overflowOf, violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';
import { openAuthenticator } from '../support/totp.js';

export function describeSecondFactor(mode: 'OFF' | 'REQUIRED', pageIt: PageIt): void {
  let world: FactorWorld;
  beforeAll(async () => {
    world = await openFactorWorld(mode);
  });
  afterEach(async () => {
    await world?.setParameter('mode', 'OPTIONAL');
    await world?.setParameter('grace-days', 7);
    await world?.closeTabs();
  });
  afterAll(() => world?.close());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  const hasFocus = (field: Locator) =>
    expect.poll(() => field.evaluate((it) => it === document.activeElement)).toBe(true);

  /** Reads the recovery codes that are shown after the first factor, and goes on. */
  async function keepCodes(page: Page): Promise<string[]> {
    const codes = page.getByRole('region', { name: 'Recovery codes' }).getByRole('listitem');
    await expect.poll(() => codes.count()).toBe(10);
    expect(await violationsOf(page)).toEqual([]);
    const texts = await codes.allTextContents();
    await button(page, 'I have kept them. Continue').click();
    return texts;
  }

  /** Sets an authenticator app up in the form that is shown. */
  async function enrolApp(page: Page) {
    await button(page, 'Continue').click();
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    await hasFocus(page.getByLabel('Code of the app'));
    expect(await violationsOf(page)).toEqual([]);
    const secret = await page.getByText(/^[A-Z2-7]{32,}$/).textContent();
    const app = openAuthenticator(secret!);
    await page.getByLabel('Code of the app').fill(app.next());
    await button(page, 'Confirm the code').click();
    return app;
  }

  async function openProfile(account: { username: string; password: string }) {
    const tab = await world.open('/profile');
    await tab.page.goto(named(tab.page.url()));
    await firstStep(tab.page, account);
    return tab;
  }

  pageIt(
    'MFA-1 MFA-2 CON-7 CON-9 an app and recovery codes are set up in the profile, and confirm the next sign-ins',
    async () => {
      const account = await createAdministrator(world.client, []);
      const { page, faults } = await openProfile(account);
      await signedIn(page);
      await button(page, 'Add a second factor').click();
      await page.getByLabel('Name', { exact: true }).fill('Phone of tests');
      const app = await enrolApp(page);
      await page.getByText('The second factor was added.').waitFor();
      // As after an enrolment that a sign-in demands.
      const [early] = await keepCodes(page);
      await page.getByRole('row').filter({ hasText: '10 left' }).waitFor();
      await page.getByRole('row').filter({ hasText: 'Phone of tests' }).waitFor();
      // The page is loaded again, and nothing of it is sent (CON-9).
      for (const form of FACTOR_FORMS) {
        expect(await requestsOfDoubleClick({ origin: named(world.origin) }, page, form)).toBe(`${form.sends}: 1`);
      }
      await page.goto(`${named(world.origin)}/console/profile`);
      await button(page, 'New recovery codes').click();
      await page.getByRole('dialog').getByText('Earlier ones end.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click();
      const codes = page.getByRole('region', { name: 'Recovery codes' }).getByRole('listitem');
      await expect.poll(() => codes.count()).toBe(10);
      const [recovery] = await codes.allTextContents();
      expect(recovery).not.toBe(early);
      expect(await violationsOf(page)).toEqual([]);
      // Each code stands in one line, on a narrow screen too.
      const wide = page.viewportSize()!;
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await overflowOf(page)).toBe(0);
      const lines = await codes.evaluateAll((items) =>
        items.map(
          (item) =>
            item.clientHeight < 2 * Number.parseFloat(getComputedStyle(item).fontSize) &&
            item.scrollWidth <= item.clientWidth,
        ),
      );
      expect(new Set(lines)).toEqual(new Set([true]));
      await page.setViewportSize(wide);
      await button(page, 'I have kept them. Continue').click();
      await page.getByRole('row').filter({ hasText: '10 left' }).waitFor();

      const clicked = await world.open('/');
      const form = secondStepForm(account);
      expect(await requestsOfDoubleClick(world, clicked.page, form)).toBe(`${form.sends}: 1`);

      const second = await world.open('/profile');
      await firstStep(second.page, account);
      await second.page.getByText('Your password is right.').waitFor();
      expect(await violationsOf(second.page)).toEqual([]);
      await hasFocus(second.page.getByLabel('Code of the app'));
      // The choice is as wide as the field.
      const widths = [second.page.getByRole('radiogroup'), button(second.page, 'Confirm')].map(async (it) => {
        return (await it.boundingBox())!.width;
      });
      expect(new Set(await Promise.all(widths)).size).toBe(1);
      await second.page.getByLabel('Code of the app').fill('000000');
      await button(second.page, 'Confirm').click();
      await second.page.getByText('The second factor is not right').waitFor();
      await second.page.getByLabel('Code of the app').fill(app.next());
      await second.page.keyboard.press('Enter');
      await signedIn(second.page);
      // The token of the second step is the one that is kept.
      await second.page.reload();
      await signedIn(second.page);

      const third = await world.open('/profile');
      await firstStep(third.page, account);
      await third.page.getByText('Recovery code', { exact: true }).click();
      await third.page.getByRole('textbox', { name: 'Recovery code' }).fill(recovery!);
      await button(third.page, 'Confirm').click();
      await signedIn(third.page);
      expect([...faults, ...second.faults, ...third.faults]).toEqual([]);
    },
  );

  it('MFA-1 MFA-2 a passkey is made in the profile, and confirms the next sign-in', async () => {
    const account = await createAdministrator(world.client, []);
    const { page, faults } = await openProfile(account);
    await addAuthenticator(page);
    await signedIn(page);
    await button(page, 'Add a second factor').click();
    await page.getByRole('dialog').getByText('Passkey', { exact: true }).click();
    // Codes that could not be made are offered again, without a warning of earlier ones.
    await page.route('**/auth/second-factors/recovery-codes', (route) => route.abort(), { times: 1 });
    await button(page, 'Make a passkey').click();
    await button(page, 'Continue without recovery codes').click();
    await button(page, 'New recovery codes').click();
    await keepCodes(page);
    await page.getByRole('row').filter({ hasText: '10 left' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Passkey' }).first().waitFor();
    await page.getByRole('button', { name: /^User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await firstStep(page, account);
    await page.getByText('Passkey', { exact: true }).click();
    await button(page, 'Use the passkey').click();
    await signedIn(page);
    expect(faults).toEqual([]);
  });

  pageIt(
    'MFA-2 MFA-4 a demanded factor is set up in the sign-in, after the days of grace with a code of an administrator',
    async () => {
      const owner = await createAdministrator(world.client, ['*']);
      const account = await createAdministrator(world.client, []);
      await world.setParameter('mode', 'REQUIRED');
      const { page, faults } = await world.open('/administrators');
      await firstStep(page, owner);
      await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await hasFocus(page.getByLabel('Name', { exact: true }));
      await enrolApp(page);
      await expect
        .poll(() => page.getByRole('region', { name: 'Recovery codes' }).getByRole('listitem').count())
        .toBe(10);
      expect(await violationsOf(page)).toEqual([]);
      await button(page, 'I have kept them. Continue').click();
      await signedIn(page);

      await world.setParameter('grace-days', 0);
      const late = await world.open('/profile');
      await firstStep(late.page, account);
      await button(late.page, 'Continue').click();
      await late.page.getByText('The time for setting up a second factor is over').waitFor();

      await page.goto(`${world.origin}/console/administrators?name=${account.username}`);
      await button(page, 'Enrolment code').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Enrolment code' }).click();
      const shown = page.getByRole('dialog').locator('code');
      await shown.waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await hasFocus(late.page.getByRole('textbox', { name: 'Enrolment code' }));
      await late.page.getByRole('textbox', { name: 'Enrolment code' }).fill((await shown.textContent())!);
      await enrolApp(late.page);
      await button(late.page, 'I have kept them. Continue').click();
      await signedIn(late.page);

      await button(page, 'Close').click();
      await button(page, 'Reset second factors').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reset second factors' }).click();
      await page.getByText(`The second factors of ${account.username} were reset.`).waitFor();
      const { api } = world.client;
      const query = { action: 'second-factor.reset' };
      expect(dataOf(await api.GET('/admin/audit-records', { params: { query } })).data.length).toBeGreaterThan(0);
      expect([...faults, ...late.faults]).toEqual([]);
    },
  );

  pageIt('MFA-1 MFA-2 CON-5 an app user sets an app up in the phone, and signs in with the second step', async () => {
    await world.setOther('app.auth.second-factor.mode', 'OPTIONAL');
    // The next code follows at once.
    await world.setOther('app.auth.sms.resend-seconds', 1);
    const mobile = newMobile();
    const { page, faults } = await world.open('/app');
    await sendCode(page, mobile);
    await inTheApp(page);
    await page.getByRole('link', { name: 'Security', exact: true }).click();
    await button(page, 'Add a second factor').click();
    const app = await enrolApp(page);
    await page.getByText('The second factor was added.').waitFor();
    await page.getByRole('row').filter({ hasText: 'Authenticator app' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const second = await world.open('/app');
    const served: string[] = [];
    second.page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/app/profile') served.push(`${response.status()}`);
    });
    await sendCode(second.page, mobile, 2);
    await second.page.getByLabel('Code of the app').fill('000000');
    expect(await violationsOf(second.page)).toEqual([]);
    await button(second.page, 'Confirm').click();
    await second.page.getByText('The second factor is not right').waitFor();
    // The token of the first step opens nothing.
    expect(served).toEqual([]);
    await second.page.getByLabel('Code of the app').fill(app.next());
    await button(second.page, 'Confirm').click();
    await inTheApp(second.page);
    expect(served).toContain('200');
    await second.page.reload();
    await inTheApp(second.page);
    expect([...faults, ...second.faults]).toEqual([]);
  });

  it('MFA-2 a session from before the second factor was switched on confirms it in place, and goes on', async () => {
    const account = await createAdministrator(world.client, []);
    const first = await openProfile(account);
    await signedIn(first.page);
    await button(first.page, 'Add a second factor').click();
    const app = await enrolApp(first.page);
    await first.page.getByText('The second factor was added.').waitFor();
    await world.setParameter('mode', 'OFF');
    const { page, faults } = await world.open('/profile');
    await firstStep(page, account);
    await signedIn(page);
    await page.getByLabel('Display name').fill('Typed before');
    await world.setParameter('mode', 'OPTIONAL');
    await button(page, 'Save').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByText('with which this session was not opened').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Code of the app').fill(app.next());
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Display name').inputValue()).toBe('Typed before');
    await page.getByRole('button', { name: /^User menu.*Typed before/ }).waitFor();
    expect(faults).toEqual([]);
  });

  pageIt(
    'MFA-3 a step-up is asked for in place: what was typed stays, and is sent once, with the same key',
    async () => {
      const account = await createAdministrator(world.client, ['*']);
      const { page, faults, sent } = await world.open('/roles');
      await firstStep(page, account);
      await signedIn(page);
      let refusals = 1;
      await page.route('**/admin/roles', async (route) => {
        if (route.request().method() !== 'POST' || refusals-- <= 0) return route.fallback();
        const body = {
          type: 'about:blank',
          title: 'Forbidden',
          status: 403,
          code: 'STEP_UP_REQUIRED',
          detail: 'Confirm again.',
        };
        await route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(body) });
      });
      await button(page, 'New role').click();
      const name = `Stepped ${Date.now()}`;
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await dialog.getByLabel('Password', { exact: true }).fill('wrong');
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByLabel('Password', { exact: true }).fill(account.password);
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(name).first().waitFor();
      const keys = sent
        .filter((request) => /^POST \S+\/admin\/roles\n/.test(request))
        .map((request) => /idempotency-key: (\S+)/.exec(request)?.[1]);
      expect(keys).toHaveLength(2);
      expect(new Set(keys).size).toBe(1);

      // Given up, the form says what is missing, and keeps what was typed.
      refusals = 1;
      await button(page, 'New role').click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Kept');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').getByText('Confirm again.').waitFor();
      expect(await page.getByRole('dialog').getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
      expect(faults).toEqual([]);
    },
  );
}
