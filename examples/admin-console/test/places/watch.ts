import { createApiClient } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';
import { writeScreenshot } from '../support/screenshots.js';

export function describeWatch(world: () => ConsoleWorld, pageIt: PageIt): void {
  /** Guesses until the name is locked, and some more. */
  async function attack(username: string): Promise<void> {
    const guesser = createApiClient({ baseUrl: world().service.origin });
    for (let i = 0; i < 8; i += 1) {
      await guesser.signIn({ username, password: `guess ${i}` }).catch(() => {});
    }
  }

  it('CON-6 an attack is seen with its name and address while the page is open, leads to the log, and its lock is cleared there', async () => {
    const { client, openSignedIn } = world();
    const { username } = await createAdministrator(client, []);
    const { page, sent, faults } = await openSignedIn('/watch');
    const failed = page.getByRole('region', { name: 'Failed sign-ins' });
    const locks = page.getByRole('region', { name: 'Locked now' });
    await failed.locator('svg').waitFor();
    await locks
      .getByText(/Nobody is locked|Name/)
      .first()
      .waitFor();
    const before = Number(await failed.locator('p').first().textContent());
    await attack(username);
    await expect.poll(async () => Number(await failed.locator('p').first().textContent())).toBeGreaterThan(before + 4);
    const row = locks.getByRole('row').filter({ hasText: username });
    await row.getByText('127.0.0.1').waitFor();
    await row.getByText('The name at this address').waitFor();
    expect(await row.getByRole('timer').textContent()).toMatch(/^in \d+ min/);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByRole('table', { name: 'The counts as a table' }).getByRole('row').count()).toBeGreaterThan(
      1,
    );

    await writeScreenshot(page, 'watch-attack', 'watch');

    await row.getByRole('button', { name: 'Clear limits of the name' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear limits of the name' }).click();
    await expect.poll(() => row.count()).toBe(0);
    // A read of the list is recorded, and numbers without names are not: not one for every look.
    const reads = sent.filter((request) => /^GET \S+\/admin\/login-policy\/locks/.test(request));
    expect(reads.length).toBeLessThanOrEqual(4);

    await failed.getByRole('link', { name: 'Show in the audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBe('auth.login');
    await page.getByRole('row').filter({ hasText: username }).first().waitFor();
    expect(faults).toEqual([]);
  });

  pageIt('CON-6 it shows the last day, the health of each part, and to each what its permissions allow', async () => {
    const { client, openSignedIn } = world();
    const { page, faults } = await openSignedIn('/watch?window=day');
    await page.getByRole('region', { name: 'Health' }).getByText('database: up').waitFor();
    expect(await page.getByRole('region', { name: 'Sign-ins', exact: true }).locator('rect').count()).toBe(24);
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: 'Sign-ins', exact: true }).locator('rect').count())
      .toBe(60);
    expect(faults).toEqual([]);

    const account = await createAdministrator(client, ['api:admin:activity:read']);
    const limited = await openSignedIn('/watch', account);
    await limited.page.getByRole('region', { name: 'Locks', exact: true }).locator('svg').waitFor();
    expect(await limited.page.getByText(/Locked now|Health|Show in the audit log/).count()).toBe(0);
    expect(limited.faults).toEqual([]);
  });

  pageIt(
    'CON-6 it stops reading once nobody has used the page for ten minutes, since reading keeps the session alive',
    async () => {
      const tab = await world().openSignedIn('/profile');
      await tab.page.clock.install();
      await tab.page.getByRole('link', { name: 'Watch' }).click();
      await tab.page.getByRole('region', { name: 'Sign-ins', exact: true }).locator('svg').waitFor();
      await tab.page.clock.fastForward('11:00');
      await tab.page.getByText('Paused, since nobody has used this page').waitFor();
      const looks = () => tab.sent.filter((request) => request.includes('/admin/activity')).length;
      const before = looks();
      await tab.page.clock.fastForward('10:00');
      expect(looks()).toBe(before);
      await tab.page.getByRole('button', { name: 'Go on' }).click();
      await expect.poll(looks).toBeGreaterThan(before);
      expect(tab.faults).toEqual([]);
    },
  );
}
