import { randomUUID } from 'node:crypto';
import { dataOf } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ADMIN, type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import type { PageIt } from '../support/page-tests.js';
import { untilQuiet } from '../support/quiet-page.js';

export function describePayments(world: () => ConsoleWorld, pageIt: PageIt): void {
  async function paymentsTo(payee: string) {
    return dataOf(await world().client.api.GET('/admin/payments', { params: { query: { payee } } })).data;
  }

  async function endOtherSessions(): Promise<void> {
    const { api } = world().client;
    const { data: sessions } = dataOf(await api.GET('/admin/sessions'));
    for (const { id, current } of sessions) {
      if (!current) dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id } } }));
    }
  }

  /** The first payment is made, and its answer does not arrive. */
  async function loseFirstAnswer(page: Page): Promise<void> {
    let isLost = false;
    await page.route('**/admin/payments', async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue();
      isLost = true;
      await route.fetch();
      await route.abort('connectionreset');
    });
  }

  it('CON-2 pays once though the answer was lost and the page reloaded, and says so', async () => {
    const { openSignedIn, mode } = world();
    const { page, sent, faults } = await openSignedIn('/payments');
    const payee = `Lighthouse Keepers ${randomUUID().slice(0, 8)}`;
    await loseFirstAnswer(page);
    await page.getByRole('button', { name: 'New payment' }).click();
    const dialog = page.getByRole('dialog', { name: 'New payment' });
    await dialog.getByLabel('Payee').fill(payee);
    await dialog.getByLabel('Amount').fill('9007199254.75');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await dialog.getByText('The service could not be reached.').waitFor();
    expect(await dialog.getByLabel('Payee').inputValue()).toBe(payee);

    await page.reload();
    await page.getByRole('button', { name: 'Continue with it' }).click();
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('9007199254.75');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('It was not made again.').waitFor();
    await page.getByRole('row').filter({ hasText: payee }).getByText('9,007,199,254.75').waitFor();
    expect(await paymentsTo(payee)).toHaveLength(1);
    expect(faults).toEqual([]);
    const inTheClear = sent.filter((request) => request.includes('Lighthouse'));
    if (mode === 'REQUIRED') expect(inTheClear).toEqual([]);
    else expect(inTheClear.length).toBeGreaterThan(1);
  });

  pageIt(
    'CON-2 asks to sign in over the form if the session has ended, keeps what was typed, and pays once then, too',
    async () => {
      const { page, faults } = await world().openSignedIn('/payments');
      // A retry is no repetition of a payment that was made.
      const payee = `Pilot Boats ${randomUUID().slice(0, 8)}`;
      await loseFirstAnswer(page);
      await page.getByRole('button', { name: 'New payment' }).click();
      const dialog = page.getByRole('dialog', { name: 'New payment' });
      await dialog.getByLabel('Payee').fill(payee);
      await dialog.getByLabel('Amount').fill('77');
      await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
      await dialog.getByText('The service could not be reached.').waitFor();
      await endOtherSessions();
      await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
      const signIn = page.getByRole('dialog', { name: 'Your session has ended' });
      await signIn.getByLabel('Password', { exact: true }).fill(ADMIN.password);
      await page.keyboard.press('Escape');
      await submitSignIn(signIn);
      await signIn.waitFor({ state: 'detached' });
      expect(await dialog.getByLabel('Payee').inputValue()).toBe(payee);
      await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByText('It was not made again.').waitFor();
      expect(await paymentsTo(payee)).toHaveLength(1);
      expect(faults).toEqual([]);
    },
  );

  pageIt.each([
    { place: 'Payments', opened: 'New payment', submit: 'Pay' },
    { place: 'Audit log', opened: 'Export', submit: 'Export and save' },
  ])('CON-2 the sign-in stands over the dialog of a place that was opened later: $place', async (each) => {
    const { page, faults } = await world().openSignedIn('/sessions', { byForm: true });
    await page.getByText('This session').waitFor();
    // What the sign-in needs is in the page by now, in front of what the next place brings.
    await untilQuiet(page);
    await page.getByRole('link', { name: each.place, exact: true }).click();
    await page.getByRole('button', { name: each.opened, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: each.opened, exact: true });
    const submit = dialog.getByRole('button', { name: each.submit, exact: true });
    if (each.submit === 'Pay') {
      await dialog.getByLabel('Payee').fill('Harbour Pilots');
      await dialog.getByLabel('Amount').fill('5');
    }
    await endOtherSessions();
    await submit.click();
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' });
    await signIn.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.keyboard.press('Escape');
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click({ trial: true, timeout: 5000 });
    await submitSignIn(signIn);
    await signIn.waitFor({ state: 'detached' });
    await submit.click({ trial: true });
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 explains a wrong amount and a refused payee beside the fields, and keeps both', async () => {
    const { page, faults } = await world().openSignedIn('/payments');
    await page.getByRole('button', { name: 'New payment' }).click();
    const dialog = page.getByRole('dialog', { name: 'New payment' });
    await dialog.getByLabel('Payee').fill('   ');
    await dialog.getByLabel('Amount').fill('12,50');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await dialog.getByText('Write the amount with digits and a point').waitFor();
    await dialog.getByLabel('Amount').fill('12.50');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await dialog.getByText(/has to show something/).waitFor();
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('12.50');
    await dialog.getByLabel('Payee').fill('Harbour Supplies');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('12.50 paid to Harbour Supplies.').waitFor();
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 finds payments by payee and time, with moments in the address bar', async () => {
    const { client, openSignedIn } = world();
    const header = { 'Idempotency-Key': crypto.randomUUID() };
    const body = { payee: 'Windmill Repairs', amount: '3.10' };
    dataOf(await client.api.POST('/admin/payments', { params: { header }, body }));
    const { page, faults } = await openSignedIn('/payments', { timezoneId: 'Asia/Shanghai' });
    await page.getByLabel('Payee').fill('windmill');
    await page.getByLabel('From').fill('2020-01-02T08:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('from=2020-01-02T00:00:00.000Z');
    await page.getByRole('cell', { name: 'Windmill Repairs' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-03T08:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No payment found.').waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'Windmill Repairs' }).waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe('2020-01-02T08:00');
    expect(faults).toEqual([]);
  });
}
