import { type ApiClient, dataOf, newKey } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ADMIN, type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import { createAdministrator } from '../support/limited-administrator.js';
import { overflowOf, violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

const LOCK = {
  key: 'admin.auth.login.lock-seconds',
  label: 'How long a lock lasts that failed sign-ins have caused',
};
const WHITELIST = {
  key: 'admin.auth.login.ip-whitelist.enabled',
  label: 'Administrators may sign in only from addresses of the IP whitelist',
};
const ADDRESSES = {
  key: 'admin.auth.login.ip-whitelist.values',
  label:
    'IP whitelist: single IPs or CIDR ranges, separated by commas; if it is empty while it is enabled, nobody can sign in',
};

export function describeParameters(world: () => ConsoleWorld, pageIt: PageIt): void {
  it('CON-2 finds a parameter by a word, refuses what is outside its bounds, saves it with its version and a key, and puts the default back', async () => {
    const { client, mode, openSignedIn } = world();
    const { page, sent, faults } = await openSignedIn('/parameters');
    await page.getByRole('heading', { level: 2, name: 'Sign-in protection' }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('lock-seconds');
    await expect.poll(() => page.url()).toContain('search=lock-seconds');
    await page.getByText('1 of').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).filter({ visible: true }).allTextContents()).toEqual([
      'Sign-in protection',
    ]);

    const input = page.getByLabel(LOCK.label, { exact: true });
    for (const [text, fault] of [
      ['0', 'The number is outside the bounds.'],
      ['9007199254740993', 'The number is outside the bounds.'],
      ['1e3', 'Enter a whole number, in digits only.'],
    ] as const) {
      await input.fill(text);
      await page.getByText(fault).waitFor();
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    }
    const before = await read(client, LOCK.key);
    await input.fill('900');
    await input.press('Enter');
    await page.getByText(`${LOCK.label}: 600 seconds (10 min) → 900 seconds (15 min)`, { exact: true }).waitFor();
    await page.getByText('Changed by you').filter({ visible: true }).waitFor();
    expect(await read(client, LOCK.key)).toMatchObject({ value: 900, version: before.version + 1 });
    const change = sent.find((request) => request.startsWith('PUT ')) ?? '';
    expect(change).toMatch(/^idempotency-key: /m);
    // A LONG leaves the page as the text that was typed; in an envelope, nothing of it is readable.
    if (mode === 'OFF') expect(change).toContain(`{"value":"900","version":${before.version}}`);
    else expect(change).not.toContain('900","version"');

    await page.getByRole('button', { name: 'Back to the default' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(async () => (await read(client, LOCK.key)).value).toBe(600);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 shows both values after a version conflict, and saves the one that the user chooses', async () => {
    const { client, openSignedIn } = world();
    const { page, faults } = await openSignedIn('/parameters?search=lock-seconds');
    const input = page.getByLabel(LOCK.label, { exact: true });
    await input.fill('700');
    await write(client, LOCK.key, 1200);
    await input.press('Enter');
    const conflict = page.getByRole('alert').filter({ hasText: 'This value was changed meanwhile' });
    await conflict.getByText('1,200 seconds (20 min)').waitFor();
    await conflict.getByText('700 seconds').waitFor();
    await conflict.getByText('Now stored, by you').waitFor();
    expect((await read(client, LOCK.key)).value).toBe(1200);
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText(`${LOCK.label}: 1,200 seconds (20 min) → 700 seconds`).waitFor();
    expect((await read(client, LOCK.key)).value).toBe(700);

    await input.fill('800');
    await write(client, LOCK.key, 600);
    await input.press('Enter');
    await conflict.getByRole('button', { name: 'Take the stored value' }).click();
    await expect.poll(() => input.inputValue()).toBe('600');
    expect((await read(client, LOCK.key)).value).toBe(600);
    expect(faults).toEqual([]);
  });

  pageIt(
    'CON-2 warns of a whitelist without the own address before it is sent, and again when the service asks',
    async () => {
      const { client, openSignedIn } = world();
      const { page, sent, faults } = await openSignedIn('/parameters?search=ip-whitelist');
      const own = dataOf(await client.api.GET('/admin/sessions')).data.find(({ current }) => current)?.clientIp ?? '';
      const warning = page.getByRole('alert').filter({ hasText: 'This locks you out' });
      const putRequests = () => sent.filter((request) => request.startsWith('PUT ')).length;
      const form = formOf(page, WHITELIST.label);
      await page.getByLabel(WHITELIST.label, { exact: true }).click();
      await warning.getByText(`Your address is ${own}`).waitFor();
      expect(putRequests()).toBe(0);

      try {
        await form.getByRole('button', { name: 'Save', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Confirm the change' });
        await dialog.getByText('With it you could not sign in from your own address').waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).last().click();
        await dialog.waitFor({ state: 'detached' });
        expect((await read(client, WHITELIST.key)).value).toBe(false);
        expect(await page.getByLabel(WHITELIST.label, { exact: true }).isChecked()).toBe(true);

        await form.getByRole('button', { name: 'Save', exact: true }).click();
        await dialog.getByRole('button', { name: 'Save anyway' }).click();
        await page.getByText(`${WHITELIST.label}: Off → On`).waitFor();
        expect((await read(client, WHITELIST.key)).value).toBe(true);

        // A list with the own address is saved without a question; one without it warns.
        const list = page.getByLabel(ADDRESSES.label, { exact: true });
        await list.fill('203.0.113.0/24');
        await warning.waitFor();
        await list.fill('203.0.113.0/24, 127.0.0.0/8, ::1');
        await warning.waitFor({ state: 'detached' });
        await formOf(page, ADDRESSES.label).getByRole('button', { name: 'Save', exact: true }).click();
        // The name alone, without its explanation.
        await page.getByText('IP whitelist: Empty → 203.0.113.0/24, 127.0.0.0/8, ::1', { exact: true }).waitFor();
      } finally {
        await write(client, WHITELIST.key, false);
        await write(client, ADDRESSES.key, '');
      }
      expect(faults).toEqual([]);
    },
  );

  pageIt.each([
    {
      locale: 'en-US',
      label: 'Minimum length of a password',
      save: 'Save',
      sentence:
        '“Minimum length of a password” must not exceed “Maximum length of a password”: no password could be chosen.',
    },
    {
      locale: 'zh-CN',
      label: '密码的最小长度',
      save: '保存',
      sentence: '「密码的最小长度」不得大于「密码的最大长度」，否则无法设置密码。',
    },
  ])('CON-9 a rule over two parameters is told by their labels, without a pointer: $locale', async (each) => {
    const options = { locale: each.locale };
    const { page } = await world().openSignedIn('/parameters?search=admin.auth.password.min-length', options);
    await page.getByLabel(each.label, { exact: true }).fill('40');
    await page.getByRole('button', { name: each.save, exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(each.sentence, { exact: true }).waitFor();
    expect(await alert.textContent()).not.toContain('/value');
  });

  pageIt('CON-2 shows values without inputs to who may only read them', async () => {
    const { client, openSignedIn } = world();
    const reader = await createAdministrator(client, ['api:admin:system-parameters:read']);
    const { page, faults } = await openSignedIn('/parameters?search=lock-seconds', reader);
    await page.getByText('You may not change them').waitFor();
    await page.getByText('600 seconds (10 min)', { exact: true }).filter({ visible: true }).waitFor();
    expect(await page.getByRole('textbox').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 keeps what was typed while the network is away, and while the session has ended', async () => {
    const { client, openSignedIn } = world();
    const { page } = await openSignedIn('/parameters?search=lock-seconds');
    const input = page.getByLabel(LOCK.label, { exact: true });
    await input.fill('660');
    await page.context().setOffline(true);
    await input.press('Enter');
    await page.getByRole('alert').getByText('could not be reached').waitFor();
    await page.context().setOffline(false);

    await page.getByLabel('Search', { exact: true }).fill('captcha');
    await input.waitFor({ state: 'hidden' });
    await page.getByLabel('Search', { exact: true }).fill('lock-seconds');
    expect(await input.inputValue()).toBe('660');

    await endOtherSessions(client);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' });
    await signIn.getByLabel('Password', { exact: true }).fill('sallyport-dev');
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signIn.waitFor({ state: 'detached' });
    expect(await input.inputValue()).toBe('660');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${LOCK.label}: 600 seconds (10 min) → 660 seconds (11 min)`).waitFor();
    expect((await read(client, LOCK.key)).value).toBe(660);
    await write(client, LOCK.key, 600);
  });

  pageIt(
    'CON-2 keeps what was not saved while the place is left, says where it is, and drops it for another user',
    async () => {
      const { client, openSignedIn } = world();
      const { page, faults } = await openSignedIn('/parameters?search=lock-seconds');
      const input = page.getByLabel(LOCK.label, { exact: true });
      const link = page.getByRole('link', { name: 'Parameters', exact: true });
      const questions: string[] = [];
      page.on('dialog', async (dialog) => {
        questions.push(dialog.type());
        await dialog.accept();
      });
      await input.fill('770');
      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
      await expect.poll(() => link.getAttribute('aria-describedby')).not.toBeNull();
      await link.getByText('1 not saved').waitFor();

      await link.click();
      const group = page.getByRole('region', { name: 'Sign-in protection', exact: true });
      await group.getByText('1 change not saved').waitFor();
      expect(await input.inputValue()).toBe('770');
      // The place leads to what the filters hide.
      await page.getByLabel('Search', { exact: true }).fill('captcha');
      await input.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: '1 change not saved' }).click();
      await page.getByRole('menuitem', { name: LOCK.label }).click();
      await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await violationsOf(page)).toEqual([]);

      await page.getByRole('button', { name: 'Discard all' }).click();
      const dialog = page.getByRole('dialog', { name: 'Discard all' });
      await dialog.getByText(LOCK.label).waitFor();
      await dialog.getByRole('button', { name: 'Discard all' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await input.inputValue()).toBe(String((await read(client, LOCK.key)).value));
      expect(await link.getByText('not saved').count()).toBe(0);
      await page.reload();
      await input.waitFor();
      expect(questions).toEqual([]);

      await input.fill('780');
      await page.reload();
      await input.waitFor();
      expect(questions).toEqual(['beforeunload']);

      await input.fill('790');
      const reader = await createAdministrator(client, ['api:admin:system-parameters:read']);
      await signInAs(page, reader);
      await link.click();
      await page.getByText('You may not change them').waitFor();
      expect(await page.getByText('not saved').count()).toBe(0);
      await signInAs(page, ADMIN);
      await link.click();
      await input.waitFor();
      expect(await page.getByText('not saved').count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  pageIt('CON-1 writes the parameters in Chinese, within 360 pixels', async () => {
    const { openSignedIn } = world();
    const { page, faults } = await openSignedIn('/parameters?group=sign-in-protection', {
      locale: 'zh-CN',
      viewport: { width: 360, height: 740 },
    });
    await page.getByLabel('登录失败导致的锁定持续时间', { exact: true }).fill('0');
    await page.getByText('数值超出允许范围。').waitFor();
    await page.getByLabel('仅允许管理员从 IP 白名单内的地址登录', { exact: true }).click();
    await page.getByText('此修改会使您无法再登录').waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
}

async function signInAs(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Username', { exact: true }).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await submitSignIn(page);
  await page.getByRole('button', { name: /^User menu/ }).waitFor();
}

function formOf(page: Page, label: string) {
  return page.locator('form').filter({ has: page.getByLabel(label, { exact: true }) });
}

async function read({ api }: ApiClient, key: string) {
  return dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path: { key } } })).data;
}

async function write(client: ApiClient, key: string, value: string | number | boolean): Promise<void> {
  const { version } = await read(client, key);
  const params = { path: { key }, header: newKey() };
  dataOf(await client.api.PUT('/admin/system-parameters/{key}', { params, body: { value, version } }));
}

async function endOtherSessions({ api }: ApiClient): Promise<void> {
  const { data } = dataOf(await api.GET('/admin/sessions', { params: { query: { size: 200 } } }));
  for (const { id, current } of data) {
    if (!current) dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id } } }));
  }
}
