import { createApiClient, dataOf } from '@sallyport/api-client';
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

  pageIt(
    'CON-6 an attack is seen with its name and address while the page is open, leads to the log, and its lock is cleared there',
    async () => {
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
      await expect
        .poll(async () => Number(await failed.locator('p').first().textContent()))
        .toBeGreaterThan(before + 4);
      const row = locks.getByRole('row').filter({ hasText: username });
      await row.getByText('127.0.0.1').waitFor();
      await row.getByText('The name at this address').waitFor();
      expect(await row.getByRole('timer').textContent()).toMatch(/^in \d+ min/);
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.getByRole('table', { name: 'The counts as a table' }).getByRole('row').count()).toBeGreaterThan(
        1,
      );

      await writeScreenshot(page, 'watch-attack');

      await row.getByRole('button', { name: 'Clear limits of the name' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Clear limits of the name' }).click();
      await expect.poll(() => row.count()).toBe(0);
      // A read of the list is recorded, and numbers without names are not: not one for every look.
      const reads = sent.filter((request) => /^GET \S+\/admin\/login-policy\/locks/.test(request));
      expect(reads.length).toBeLessThanOrEqual(4);

      const bars = failed.getByRole('group', { name: /^Bars/ }).getByRole('link');
      expect(await failed.getByText('now', { exact: true }).count()).toBe(1);
      expect(
        await bars.evaluateAll((links) => links.filter((link) => link.getAttribute('tabindex') === '0').length),
      ).toBe(1);
      const scale = failed.locator('[data-scale]');
      const counts = await failed.locator('rect title').allTextContents();
      const most = Math.max(...counts.map((text) => Number.parseInt(text, 10)));
      await expect.poll(() => scale.textContent()).toBe(`At most ${most} in one interval`);
      await bars.last().focus();
      expect(await scale.textContent()).toBe(await bars.last().getAttribute('aria-label'));
      await failed.locator('svg').hover({ position: { x: 2, y: 2 } });
      expect(await scale.textContent()).toBe(await failed.locator('rect title').first().textContent());
      await page.mouse.move(0, 0);
      expect(await scale.textContent()).toBe(`At most ${most} in one interval`);
      await locks.getByText(/locks of names that no account has/).waitFor();
      await bars.last().focus();
      expect(await bars.last().getAttribute('aria-label')).toMatch(/^[\d,]+ at /);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
      expect(Date.parse(to!) - Date.parse(from!)).toBe(60_000);
      await page.goBack();

      await failed.getByRole('link', { name: 'Show in the audit log' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      expect(new URL(page.url()).searchParams.get('action')).toBe('auth.login,auth.second-factor');
      await page.getByRole('row').filter({ hasText: username }).first().waitFor();
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'CON-6 API-5 200 guesses are seen within 5 s with names and addresses, and the attack is ended from there',
    async () => {
      const { client, service, openSignedIn } = world();
      const victims = [await createAdministrator(client, []), await createAdministrator(client, [])];
      const typed = 'a-password-in-the-wrong-field';
      const { page, sent, faults } = await openSignedIn('/watch');
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
      const failed = page.getByRole('region', { name: 'Failed sign-ins' });
      const seen = async () => Number((await failed.locator('p').first().textContent())?.replace(/\D/g, ''));
      const before = await seen();
      const guesser = createApiClient({ baseUrl: service.origin });
      const names = Array.from({ length: 200 }, (_, i) => (i === 0 ? typed : victims[i % 2]!.username));
      const guesses = names.map((username, i) => () => guesser.signIn({ username, password: `guess ${i}` }));
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let next = guesses.pop(); next !== undefined; next = guesses.pop()) await next().catch(() => {});
        }),
      );
      const began = Date.now();
      await expect.poll(seen, { timeout: 5000 }).toBeGreaterThanOrEqual(before + 200);
      const sources = page.getByRole('region', { name: 'Where failed sign-ins come from' });
      for (const { username } of victims) {
        await sources.getByRole('table', { name: 'Name' }).getByText(username).waitFor({ timeout: 5000 });
      }
      const row = sources.getByRole('table', { name: 'Address' }).getByRole('row').filter({ hasText: '127.0.0.1' });
      await row.waitFor();
      expect(Date.now() - began).toBeLessThan(5000);
      expect(await page.content()).not.toContain(typed);
      await page.getByText(/Sessions on-line: [\d,]+ of administrators/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await writeScreenshot(page, 'watch-sources', 'watch');
      // One stream for it all, and its token in no address.
      const looks = sent.filter((request) => request.includes('/admin/activity'));
      expect(looks).toHaveLength(1);
      const kept = await page.evaluate(() => Object.values(sessionStorage).map(String));
      const token = kept.find((text) => text.split('.').length === 3)!;
      expect(looks[0]!.split('\n')[0]).not.toContain(token);

      // It would help the attacker.
      expect(await row.getByRole('button').count()).toBe(0);
      const network = sources.getByRole('table', { name: 'Network' }).getByRole('link', { name: 'Failed sign-ins' });
      expect(await network.first().getAttribute('href')).toContain('network=127.0.0.0%2F24');
      await client.api.POST('/admin/auth/clearLoginLimit', { body: { clientIp: '127.0.0.1' } });
      for (const { username } of victims) await client.api.POST('/admin/auth/clearLoginLimit', { body: { username } });

      await row.getByRole('link', { name: 'Failed sign-ins' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      const query = new URL(page.url()).searchParams;
      expect(Object.fromEntries(query)).toEqual({
        ...{ action: 'auth.login,auth.second-factor', outcome: 'refused', ip: '127.0.0.1' },
        from: expect.any(String),
      });
      await page.getByRole('row').filter({ hasText: victims[0]!.username }).first().waitFor();
      expect(faults).toEqual([]);
    },
  );

  pageIt('CON-6 a service that no longer answers is not shown as up, and the notice stays where it is', async () => {
    const { page } = await world().openSignedIn('/watch');
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('database: up').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await health.getByText('database: unknown').waitFor();
    await health.getByText(/^The service does not answer\. It did at /).waitFor();
    expect(await health.getByText(/: up$/).count()).toBe(0);
    await page.context().setOffline(false);
    await health.getByText('database: up').waitFor();
    expect(await page.getByText('could not be reached').count()).toBe(0);
  });

  pageIt('CON-1 CON-6 names the parts of the service in Chinese', async () => {
    const { page, faults } = await world().openSignedIn('/watch', { locale: 'zh-CN' });
    const health = page.getByRole('region', { name: '健康状态' });
    await health.getByText('数据库：正常').waitFor();
    const parts = await health.getByText(/：(?:正常|异常|未知)$/).allTextContents();
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.filter((part) => /^[a-z-]+：/.test(part))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('CON-6 it ends with its session, says why without a click, and goes on after the next sign-in', async () => {
    const { client, openSignedIn } = world();
    const account = await createAdministrator(client, ['api:admin:activity:read']);
    const { page } = await openSignedIn('/watch', account);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const found = dataOf(
      await client.api.GET('/admin/sessions', { params: { query: { scope: 'all', user: account.username } } }),
    );
    const [session] = found.data;
    dataOf(await client.api.DELETE('/admin/sessions/{id}', { params: { path: { id: session!.id } } }));
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog
      .getByText('was ended, by you elsewhere, by an administrator or after wrong proofs')
      .waitFor({ timeout: 5000 });
    await dialog.getByLabel('Password').fill(account.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await page.getByRole('region', { name: 'Locks', exact: true }).locator('svg').waitFor();
  });

  pageIt('CON-6 where no stream comes through, it says so, reads the counts, and takes the stream again', async () => {
    const { page, sent } = await world().openSignedIn('/profile');
    await page.route('**/admin/activity/stream*', (route) => route.abort());
    await page.getByRole('link', { name: 'Watch' }).click();
    await page.getByRole('status').filter({ hasText: 'Counts are read every four seconds' }).waitFor();
    await page.getByRole('region', { name: 'Sign-ins', exact: true }).locator('svg').waitFor();
    expect(sent.some((request) => /^GET \S+\/admin\/activity\?/.test(request))).toBe(true);
    await page.unroute('**/admin/activity/stream*');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  });

  pageIt('CON-6 it shows the last day, the health of each part, and to each what its permissions allow', async () => {
    const { client, openSignedIn } = world();
    const { page, faults } = await openSignedIn('/watch?window=day');
    await page.getByRole('region', { name: 'Health' }).getByText('database: up').waitFor();
    const bars = page.getByRole('region', { name: 'Sign-ins', exact: true }).locator('rect');
    await expect.poll(() => bars.count()).toBe(24);
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expect.poll(() => bars.count()).toBe(60);
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
