import { dataOf } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ADMIN, type ConsoleWorld, submitSignIn } from '../support/console-world.js';

export function describePayments(world: () => ConsoleWorld): void {
  async function paymentsTo(payee: string) {
    return dataOf(await world().client.api.GET('/admin/payments', { params: { query: { payee } } })).data;
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
    await loseFirstAnswer(page);
    await page.getByRole('button', { name: 'New payment' }).click();
    const dialog = page.getByRole('dialog', { name: 'New payment' });
    await dialog.getByLabel('Payee').fill('Lighthouse Keepers');
    await dialog.getByLabel('Amount').fill('9007199254.75');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await dialog.getByText('The service could not be reached.').waitFor();
    expect(await dialog.getByLabel('Payee').inputValue()).toBe('Lighthouse Keepers');

    await page.reload();
    await page.getByRole('button', { name: 'Continue with it' }).click();
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('9007199254.75');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('It was not made again.').waitFor();
    await page.getByRole('cell', { name: '9,007,199,254.75' }).waitFor();
    expect(await paymentsTo('Lighthouse Keepers')).toHaveLength(1);
    expect(faults).toEqual([]);
    const inTheClear = sent.filter((request) => request.includes('Lighthouse'));
    if (mode === 'REQUIRED') expect(inTheClear).toEqual([]);
    else expect(inTheClear.length).toBeGreaterThan(1);
  });

  it('CON-2 asks to sign in over the form if the session has ended, keeps what was typed, and pays once then, too', async () => {
    const { client, openSignedIn } = world();
    const { page, faults } = await openSignedIn('/payments');
    await loseFirstAnswer(page);
    await page.getByRole('button', { name: 'New payment' }).click();
    const dialog = page.getByRole('dialog', { name: 'New payment' });
    await dialog.getByLabel('Payee').fill('Pilot Boats');
    await dialog.getByLabel('Amount').fill('77');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await dialog.getByText('The service could not be reached.').waitFor();
    const { data: sessions } = dataOf(await client.api.GET('/admin/sessions'));
    for (const { id, current } of sessions) {
      if (!current) dataOf(await client.api.DELETE('/admin/sessions/{id}', { params: { path: { id } } }));
    }
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' });
    await signIn.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.keyboard.press('Escape');
    await submitSignIn(signIn);
    await signIn.waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('Payee').inputValue()).toBe('Pilot Boats');
    await dialog.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('It was not made again.').waitFor();
    expect(await paymentsTo('Pilot Boats')).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('CON-2 explains a wrong amount and a refused payee beside the fields, and keeps both', async () => {
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

  it('CON-2 finds payments by payee and time, with moments in the address bar', async () => {
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
