import { readFile } from 'node:fs/promises';
import { createApiClient, dataOf } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { TestDatabase } from '../../../../scripts/test-database.js';
import type { ConsoleWorld } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';
import { writeScreenshot } from '../support/screenshots.js';

/**
 * @param storage `PostgreSQL` if there is a database that a test can change behind the server's back
 * @param database null for the embedded one
 */
export function describeAuditLog(
  world: () => ConsoleWorld,
  pageIt: PageIt,
  storage: string,
  database: () => TestDatabase | null,
): void {
  pageIt('CON-2 a filter finds records, and the address opens one of them with its masked values marked', async () => {
    const { openSignedIn } = world();
    const { page, faults } = await openSignedIn('/audit-log');
    await page.getByLabel('Action').fill('auth.login');
    await openMoreFilters(page);
    await page.getByLabel('Outcome').selectOption('Success');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('action=auth.login&outcome=success');
    const table = page.getByRole('table', { name: 'Audit log' });
    await expect
      .poll(async () => new Set(await table.locator('code').allTextContents()))
      .toEqual(new Set(['auth.login']));
    await table.getByRole('link', { name: 'Sign in', exact: true }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Record' });
    await drawer.getByText('admin (you)').waitFor();
    await drawer.getByText('masked', { exact: true }).waitFor();
    await drawer.getByText('POST /admin/auth/login').waitFor();
    // The drawer slides in.
    await expect.poll(() => violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    const address = new URL(page.url());

    // The list of another tab need not show it.
    const other = new URLSearchParams(address.search);
    other.set('action', 'payment.create');
    const { page: second } = await openSignedIn('/sessions');
    await second.goto(`${address.origin}${address.pathname}?${other}`);
    await second.getByRole('dialog', { name: 'Record' }).getByText('POST /admin/auth/login').waitFor();
    await second.keyboard.press('Escape');
    await expect.poll(() => second.url()).not.toContain('record=');
    expect(second.url()).toContain('action=payment.create');
  });

  pageIt('CON-2 a moment filters in the time of the browser, and pages go on', async () => {
    const { page } = await world().openSignedIn('/audit-log', { timezoneId: 'Asia/Shanghai' });
    await openMoreFilters(page);
    await page.getByLabel('Before').fill('2020-01-01T08:00:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('to=2020-01-01T00:00:00.000Z');
    await page.getByText('Nothing found.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByLabel('Reads, too').check();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(() => page.url()).toContain('after=');
    await page.getByRole('table', { name: 'Audit log' }).getByRole('link').first().waitFor();
    await page.getByLabel('Address').fill('no address');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('alert').getByText('has to be an IP address').waitFor();
  });

  pageIt(
    'CON-8 hides reads unless asked for, finds actions by their beginning, and takes presets of time',
    async () => {
      const { page, faults } = await world().openSignedIn('/audit-log');
      const table = page.getByRole('table', { name: 'Audit log' });
      const shown = async () => [...new Set(await table.locator('code').allTextContents())];
      await table.getByRole('link').first().waitFor();
      expect((await shown()).filter((action) => action.endsWith('.read'))).toEqual([]);
      await openMoreFilters(page);
      await page.getByLabel('Reads, too').check();
      await expect.poll(() => page.url()).toContain('reads=shown');
      await table.getByRole('link', { name: 'Read the own profile' }).first().waitFor();
      await page.getByLabel('Reads, too').uncheck();
      await expect.poll(() => page.url()).not.toContain('reads=');

      await page.getByLabel('Action').fill('auth');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect.poll(async () => (await shown()).every((action) => action.startsWith('auth.'))).toBe(true);
      await page.getByRole('group', { name: 'Time' }).getByRole('button', { name: 'Last hour' }).click();
      await expect.poll(() => page.url()).toContain('from=');
      const from = new URL(page.url()).searchParams.get('from') ?? '';
      expect(Math.abs(Date.now() - 3_600_000 - Date.parse(from))).toBeLessThan(60_000);
      expect(new URL(page.url()).searchParams.get('action')).toBe('auth');
      await table.getByRole('link', { name: 'Sign in', exact: true }).first().waitFor();

      // A read by its name is asked for.
      await page.goto(`${world().origin}/console/audit-log?action=profile.read`);
      await table.getByText('profile.read', { exact: true }).first().waitFor();
      await page.goto(`${world().origin}/console/audit-log?action=nothing`);
      await page.getByText('Reads are hidden; “Reads, too” shows them.').waitFor();
      expect(faults).toEqual([]);
    },
  );

  pageIt('CON-8 an action is completed, or refused at its field with the nearest ones', async () => {
    const { page, sent, faults } = await world().openSignedIn('/audit-log');
    const input = page.getByRole('combobox', { name: 'Action', exact: true });
    await page.getByRole('table', { name: 'Audit log' }).getByRole('link').first().waitFor();
    await input.fill('parameter');
    await input.press('Enter');
    await expect.poll(() => page.url()).toContain('action=system-parameter.');
    expect(await input.inputValue()).toBe('system-parameter.');
    await input.fill('Renew the stored hash');
    await input.press('Enter');
    await expect.poll(() => page.url()).toContain('action=password.rehash');
    const before = sent.length;
    await input.fill('paymnet.create');
    await input.press('Enter');
    await page.getByText(/^No action is called this\. Near to it: payment\.create/).waitFor();
    expect(page.url()).toContain('action=password.rehash');
    expect(sent.slice(before).filter((request) => request.includes('/admin/audit-records?'))).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText(/^No action is called this/).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  pageIt('CON-8 the filters but actor and action are folded, and open where one of them is set', async () => {
    const { page, faults } = await world().openSignedIn('/audit-log');
    const more = page.getByRole('button', { name: 'More filters' });
    const outcome = page.getByLabel('Outcome');
    await page.getByLabel('Actor').waitFor();
    expect([await more.getAttribute('aria-expanded'), await outcome.isVisible()]).toEqual(['false', false]);
    await more.click();
    expect([await more.getAttribute('aria-expanded'), await outcome.isVisible()]).toEqual(['true', true]);
    await more.click();
    expect(await outcome.isVisible()).toBe(false);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await violationsOf(page)).toEqual([]);
    await writeScreenshot(page, 'audit-log-folded');
    await page.goto(`${world().origin}/console/audit-log?outcome=refused`);
    await outcome.waitFor();
    expect(await more.getAttribute('aria-expanded')).toBe('true');
    expect(faults).toEqual([]);
  });

  pageIt.each([
    { locale: 'en-US', label: 'Action', name: 'Sign in', beginning: 'Every action that begins with auth.' },
    { locale: 'zh-CN', label: '操作', name: '登录', beginning: '以 auth. 开头的全部操作' },
  ])('CON-8 actions are named in words beside their codes, and suggested: $locale', async (each) => {
    const { page, faults } = await world().openSignedIn('/audit-log', { locale: each.locale });
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: each.name, exact: true }) });
    await row.first().getByText('auth.login', { exact: true }).waitFor();
    const input = page.getByRole('combobox', { name: each.label, exact: true });
    const options = await input.evaluate(({ list }: HTMLInputElement) =>
      [...(list?.options ?? [])].map(({ value, label }) => `${value} ${label}`),
    );
    expect(options).toContain(`auth. ${each.beginning}`);
    expect(options).toContain(`auth.login ${each.name} · auth.login`);
    await writeScreenshot(page, `audit-log-actions-${each.locale}`);
    await row.first().getByRole('link').click();
    await page.getByRole('dialog').getByRole('heading', { name: each.name, exact: true }).waitFor();
    await page
      .getByRole('dialog')
      .getByRole('cell', { name: /^auth\.login/ })
      .waitFor();
    expect(faults).toEqual([]);
  });

  async function openMoreFilters(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'More filters' }).click();
  }

  /** An administrator who has signed in. */
  async function signedInBefore(): Promise<{ readonly username: string; readonly id: string }> {
    const account = await createAdministrator(world().client, []);
    const client = createApiClient({ baseUrl: world().origin });
    await client.signIn(account);
    return { username: account.username, id: dataOf(await client.api.GET('/admin/profile')).data.id };
  }

  pageIt('CON-2 an actor is named by the username, and found by it', async () => {
    const { username, password } = await createAdministrator(world().client, ['api:admin:roles:list']);
    await world().openSignedIn('/roles', { username, password });
    const { page, faults } = await world().openSignedIn('/audit-log');
    await page.getByLabel('Actor').fill(username.toUpperCase());
    await page.getByRole('button', { name: 'Search' }).click();
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByRole('cell', { name: username, exact: true }).first().waitFor();
    await page.getByLabel('Actor').fill('admin');
    await page.getByRole('button', { name: 'Search' }).click();
    await table.getByRole('cell', { name: 'admin (you)' }).first().waitFor();
    await page.getByLabel('Actor').fill('nobody-at-all');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No administrator is called nobody-at-all.').waitFor();
    await page.goto(page.url().replace(/\?.*/, '?from=2026-01-02T00:00:00.000Z&to=2026-01-01T00:00:00.000Z'));
    await page.getByText('“From” is not earlier than “Before”').waitFor();
    expect(faults).toEqual([]);
  });

  it('CON-2 what the filters find is exported in the page, as CSV or as JSON lines', async () => {
    const { page, faults } = await world().openSignedIn('/audit-log?action=auth.login');
    const csv = await exported(page, 'CSV');
    expect(csv.name).toMatch(/^audit-records-.*\.csv$/);
    const [head, ...rows] = csv.text.trim().split(/\r?\n/);
    expect(head).toContain('"occurredAt"');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.includes('"auth.login"'))).toBe(true);
    expect(head).toMatch(/,"actorName"$/);
    expect(rows.some((row) => row.endsWith(',"admin"'))).toBe(true);
    await page.getByText(`${rows.length} records were saved.`).waitFor();

    const lines = (await exported(page, 'JSON Lines')).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(lines.map(() => 'auth.login'));
    expect(page.url()).toContain('/console/audit-log?action=auth.login');
    expect(faults).toEqual([]);
  });

  async function exported(page: Page, format: string): Promise<{ name: string; text: string }> {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByLabel(format, { exact: true }).check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export and save' }).click(),
    ]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  }

  pageIt(
    'CON-8 a pasted checkpoint that proves nothing is refused at its field, and what was pasted stays',
    async () => {
      const { page, faults } = await world().openSignedIn('/audit-log', { locale: 'zh-CN' });
      await page.getByRole('button', { name: '用自存的检查点校验' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('检查点', { exact: false }).first().fill('not a note');
      await dialog.getByRole('button', { name: '校验', exact: true }).click();
      await dialog.getByText('须为完整的检查点文本，包含签名').waitFor();
      expect(await dialog.getByRole('textbox').first().inputValue()).toBe('not a note');
      expect(await violationsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'CON-8 filters of target, network and reason find records, and a network that is none is told in words',
    async () => {
      const { username, id } = await signedInBefore();
      dataOf(await world().client.api.DELETE('/admin/administrators/{id}/sessions', { params: { path: { id } } }));
      const { page } = await world().openSignedIn('/audit-log');
      const table = page.getByRole('table', { name: 'Audit log' });
      await openMoreFilters(page);
      await page.getByLabel('Target').fill(username);
      await page.getByLabel('Network').fill('127.0.0.0/8');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect.poll(() => decodeURIComponent(page.url())).toContain(`target=${username}&network=127.0.0.0/8`);
      // The sign-in has the name, and the end of the sessions has the id.
      await expect
        .poll(async () => new Set(await table.locator('code').allTextContents()))
        .toEqual(new Set(['session.revoke', 'auth.login', 'administrator.create']));
      const row = table.getByRole('row').filter({ hasText: 'session.revoke' });
      await row.getByRole('cell', { name: username, exact: true }).waitFor();
      await row.getByRole('link').click();
      const drawer = page.getByRole('dialog', { name: 'Record' });
      await drawer
        .getByRole('row', { name: /^Target/ })
        .getByText(username)
        .waitFor();
      await drawer
        .getByRole('row', { name: /^Target/ })
        .getByText(id)
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByLabel('Network').fill('203.0.113.0/24');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('Nothing found.').waitFor();
      await page.getByLabel('Network').fill('127.0.0.0/99');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('Network: has to be a network, such as 203.0.113.0/24.').waitFor();
    },
  );

  pageIt('CON-2 a verification says what it covers, and is there again when the user comes back', async () => {
    const { page, faults } = await world().openSignedIn('/audit-log');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await expect.poll(() => page.url()).toContain('verification=');
    const panel = page.getByRole('region', { name: 'Verification of the log' });
    // The service of this test writes no checkpoints.
    await panel.getByText('No fault was found, but nothing proves where the log ends').waitFor();
    await panel.getByText(/^Rows read: [\d,]+\.$/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const address = page.url();

    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await panel.getByText('No fault was found, but nothing').waitFor();
    expect(page.url()).toBe(address);
    await panel.getByRole('button', { name: 'Close the result' }).click();
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('verification=');
    expect(faults).toEqual([]);
  });

  it.skipIf(storage !== 'PostgreSQL')('CON-2 a changed and a deleted row are named, with what that means', async () => {
    const client = database()?.connect({ max: 1 }).$client;
    await client?.unsafe("update audit_records set action = 'changed' where sequence = 2");
    await client?.unsafe('delete from audit_records where sequence in (4, 5)');
    const { page } = await world().openSignedIn('/audit-log', { locale: 'zh-CN' });
    await page.getByRole('button', { name: '校验', exact: true }).click();
    const panel = page.getByRole('region', { name: '日志校验' });
    await panel.getByText(/^日志已被破坏/).waitFor();
    const findings = panel.getByRole('table', { name: '发现的问题' });
    await findings.getByText('被修改').waitFor();
    await findings.getByText('此行的内容与当初写入的不同，不可采信。').waitFor();
    await findings.getByText('被删除').waitFor();
    await findings.getByText('4 至 5').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
}
