import { expect, it, vi } from 'vitest';
import type { TestDatabase } from '../../../../scripts/test-database.js';
import type { ConsoleWorld, Tab } from '../support/console-world.js';

/** Longer than a statement of the service waits for a lock. */
const MAX_WAIT_MILLIS = 20_000;

export function describeBadWeather(world: () => ConsoleWorld, database: () => TestDatabase | null): void {
  /** A tab with a payment that was typed and not sent. */
  async function typePayment(payee: string): Promise<Tab> {
    const tab = await world().openSignedIn('/payments');
    await tab.page.getByRole('button', { name: 'New payment' }).click();
    await tab.page.getByLabel('Payee', { exact: true }).last().fill(payee);
    await tab.page.getByLabel('Amount', { exact: true }).fill('7.50');
    return tab;
  }

  async function countOf(payee: string): Promise<number> {
    const { data } = await world().client.api.GET('/admin/payments', { params: { query: { payee } } });
    return data?.data.length ?? -1;
  }

  it('CON-2 while a store is away, the service’s sentence stands beside what was typed, which is then sent once', async ({
    skip,
  }) => {
    const locked = database();
    // The embedded database has no second connection that could lock a table.
    if (locked === null) return skip('on PostgreSQL only');
    const { page } = await typePayment('Store Away');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let lock: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      lock = locked.connect({ max: 1 }).$client.begin(async (transaction) => {
        await transaction`lock table payments in access exclusive mode`;
        resolve();
        await released;
      });
      lock.catch(reject);
    });
    try {
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      const refusal = page.getByRole('dialog').getByRole('alert');
      await refusal.getByText('Request id').waitFor({ timeout: MAX_WAIT_MILLIS });
      expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('7.50');
    } finally {
      release();
      await lock;
    }
    // The service may still be busy with the first attempt.
    const pay = page.getByRole('button', { name: 'Pay', exact: true });
    const send = async () => {
      if (await pay.isVisible()) await pay.click({ timeout: 5000 });
      await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 5000 });
    };
    await vi.waitFor(send, { timeout: 30_000, interval: 500 });
    expect(await countOf('Store Away')).toBe(1);
  });

  it('CON-2 a service that restarts while a form is open: a sentence, nothing typed is lost, and it is sent once', async () => {
    const { service } = world();
    const { page } = await typePayment('Restarted');
    await service.stop();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByRole('dialog').getByText('could not be reached').waitFor();
    await service.start();
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('7.50');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await countOf('Restarted')).toBe(1);
  });
}
