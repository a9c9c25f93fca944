import { dataOf, hashPassword } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inTheApp, newMobile, sendCode, tapCode } from '../support/app-sign-in.js';
import type { ConsoleWorld, Tab } from '../support/console-world.js';
import { overflowOf, violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';
import { untilQuiet } from '../support/quiet-page.js';
import { writeScreenshot } from '../support/screenshots.js';

const RESEND_SECONDS = 'app.auth.sms.resend-seconds';
const IP_HOURLY_LIMIT = 'app.auth.sms.ip-hourly-limit';
const CAPTCHA_AFTER = 'app.auth.sms.mobile-captcha-after';

export function describeAppSide(world: () => ConsoleWorld, pageIt: PageIt): void {
  async function withParameter(key: string, value: number, run: () => Promise<void>): Promise<void> {
    const { api } = world().client;
    const path = { key };
    async function set(wanted: string | number | boolean): Promise<string | number | boolean> {
      const { data } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } }));
      const header = { 'Idempotency-Key': crypto.randomUUID() };
      const body = { value: wanted, version: data.version };
      dataOf(await api.PUT('/admin/system-parameters/{key}', { params: { path, header }, body }));
      return data.value;
    }
    const last = await set(value);
    try {
      await run();
    } finally {
      await set(last);
    }
  }

  async function signInByCode({ page }: Tab, mobile: string): Promise<void> {
    await sendCode(page, mobile);
    await inTheApp(page);
  }

  async function openSignedIn(mobile: string): Promise<Tab> {
    const tab = await world().open('/app');
    await signInByCode(tab, mobile);
    return tab;
  }

  /** Signed in, with a password that was set with a code. */
  async function openWithPassword(mobile: string, password: string): Promise<Tab> {
    const tab = await openSignedIn(mobile);
    const { page } = tab;
    await page.getByRole('link', { name: 'Security', exact: true }).click();
    await page.getByRole('button', { name: 'Get a code', exact: true }).click();
    await tapCode(page, mobile, 'new password');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Set a password', exact: true }).click();
    await page.getByText('The password is set.').waitFor();
    await signInByPassword(page, password);
    expect(tab.sent.filter((request) => request.includes('/auth/logout'))).toEqual([]);
    return tab;
  }

  async function signInByPassword(page: Page, password: string): Promise<void> {
    await page.getByText('By password', { exact: true }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
  }

  it('CON-5 a user signs in with the code of a text message, takes a name, and signs out', async () => {
    const mobile = newMobile();
    const { page, sent, faults } = await openSignedIn(mobile);
    await page.getByLabel('Display name', { exact: true }).fill('Wang Xiaoming');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The name is saved.').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Display name', { exact: true }).inputValue()).toBe('Wang Xiaoming');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByLabel('Mobile number', { exact: true }).inputValue()).toBe('');
    expect(faults).toEqual([]);
    const text = sent.join('\n');
    for (const secret of [mobile, 'Wang Xiaoming']) expect(text.includes(secret)).toBe(world().mode === 'OFF');
  });

  pageIt(
    'CON-5 a number that the service refuses, and a wrong code, are explained, and nothing typed is lost',
    async () => {
      const { page, faults } = await world().open('/app');
      await page.getByLabel('Mobile number', { exact: true }).fill('12');
      await page.getByRole('button', { name: 'Get a code', exact: true }).click();
      await page.getByRole('alert').getByText('This is not a mobile number.').waitFor();
      expect(await page.getByLabel('Mobile number', { exact: true }).inputValue()).toBe('12');

      await page.getByLabel('Mobile number', { exact: true }).fill(newMobile());
      await page.getByRole('button', { name: 'Get a code', exact: true }).click();
      await page.getByRole('button', { name: /^Another code in/ }).waitFor();
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').getByText('The sign-in details are wrong.').waitFor();
      expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe('000000');
      expect(faults).toEqual([]);
    },
  );

  pageIt(
    'CON-5 the next code is asked for after the interval, with a captcha where the service wants one',
    async () => {
      const withBoth = (run: () => Promise<void>) =>
        withParameter(CAPTCHA_AFTER, 1, () => withParameter(RESEND_SECONDS, 3, run));
      await withBoth(async () => {
        const { page, faults } = await world().open('/app');
        await page.getByLabel('Mobile number', { exact: true }).fill(newMobile());
        await page.getByRole('button', { name: 'Get a code', exact: true }).click();
        expect(await page.getByRole('button', { name: /^Another code in/ }).isDisabled()).toBe(true);
        await page.getByRole('button', { name: 'Get another code', exact: true }).click();
        const step = page.getByRole('group', { name: 'One more step' });
        await step.getByText('Proof of work', { exact: true }).click();
        await step.getByText('Your browser has solved the puzzle.').waitFor({ timeout: 60_000 });
        await page.getByRole('button', { name: 'Get another code', exact: true }).click();
        await page.getByRole('button', { name: /^Another code in/ }).waitFor();
        expect(faults).toEqual([]);
      });
    },
    120_000,
  );

  pageIt('CON-5 a limit of the service says when to come back', async () => {
    await withParameter(IP_HOURLY_LIMIT, 1, async () => {
      const { page } = await world().open('/app');
      await page.getByLabel('Mobile number', { exact: true }).fill(newMobile());
      const refusal = page.getByRole('alert').getByText('Too many codes were sent.');
      await page.getByRole('button', { name: 'Get a code', exact: true }).click();
      await refusal
        .or(page.getByRole('button', { name: /^Another code in/ }))
        .first()
        .waitFor();
      await page.getByLabel('Mobile number', { exact: true }).fill(newMobile());
      if (!(await refusal.isVisible())) await page.getByRole('button', { name: 'Get a code', exact: true }).click();
      await refusal.waitFor();
      await page.getByText(/^Try again in \d+ (?:min|sec)\b.*\.$/).waitFor();
    });
  });

  it('CON-5 a user sets a password with a code, signs in with it, and changes it with the old one', async () => {
    const mobile = newMobile();
    const { page, sent, faults } = await openWithPassword(mobile, 'first Secret 7');
    await page.getByRole('link', { name: 'Security', exact: true }).click();
    await page.getByLabel('Current password', { exact: true }).fill('not this one');
    await page.getByLabel('New password', { exact: true }).fill('abc');
    await page.getByRole('button', { name: 'Change the password', exact: true }).click();
    await page.getByText('It needs at least 6 characters.').waitFor();
    await page.getByLabel('New password', { exact: true }).fill('second Secret 8');
    await page.getByRole('button', { name: 'Change the password', exact: true }).click();
    await page.getByRole('alert').getByText('The old password is wrong.').waitFor();
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('second Secret 8');

    await page.getByLabel('Current password', { exact: true }).fill('first Secret 7');
    await page.getByRole('button', { name: 'Change the password', exact: true }).click();
    await page.getByText('The password is set.').waitFor();
    await signInByPassword(page, 'second Secret 8');
    expect(faults).toEqual([]);
    const text = sent.join('\n');
    expect(text).not.toContain('Secret');
    expect(text.includes(hashPassword('second Secret 8'))).toBe(world().mode === 'OFF');
    const devices = await page.evaluate(() => localStorage.getItem('sallyport.app-device'));
    expect(devices).toMatch(/^\S{32}\n\S{4} \S{20,}$/);
    expect(devices).not.toContain(mobile);
  });

  pageIt(
    'CON-5 a user who has forgotten the password sets another with a code and a captcha',
    async () => {
      const mobile = newMobile();
      await withParameter(RESEND_SECONDS, 1, async () => {
        const { page, faults } = await openWithPassword(mobile, 'forgotten 1');
        await page.getByRole('link', { name: 'Profile', exact: true }).click();
        // The service confirms the sign-out when the user has gone on already.
        let confirm = () => {};
        const confirmation = new Promise<void>((resolve) => (confirm = resolve));
        await page.route('**/auth/logout', (route) => confirmation.then(() => route.continue()));
        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
        await page.getByRole('link', { name: 'Forgot the password?' }).click();
        await page.getByRole('heading', { level: 1, name: 'Set a new password' }).waitFor();
        const confirmed = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/auth/logout'));
        confirm();
        await confirmed;
        await page.getByLabel('Mobile number', { exact: true }).fill(mobile);
        await page.getByRole('button', { name: 'I already have a code' }).click();
        const always = page.getByRole('group', { name: 'One more step' }).filter({ hasText: 'always needs it' });
        const isSolved = always.getByText('Your browser has solved the puzzle.');
        await always.getByText('Proof of work', { exact: true }).click();
        await isSolved.waitFor({ timeout: 60_000 });
        await page.getByLabel('Code', { exact: true }).fill('000000');
        await page.getByLabel('New password', { exact: true }).fill('remembered 2');
        await page.getByRole('button', { name: 'Set the password', exact: true }).click();
        await page.getByRole('alert').getByText('The code is wrong').waitFor();
        expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('remembered 2');
        expect(await violationsOf(page)).toEqual([]);

        const messages = page.getByRole('listitem').filter({ hasText: mobile }).filter({ hasText: 'new password' });
        const before = await messages.count();
        const ask = page.getByRole('button', { name: /^Get a/ });
        const toSend = page.getByRole('group', { name: 'One more step' }).filter({ hasText: 'Then the code is sent' });
        await ask.click();
        await toSend.or(messages.nth(before)).first().waitFor();
        if (await toSend.isVisible()) {
          await toSend.getByText('Proof of work', { exact: true }).click();
          await toSend.getByText('Your browser has solved the puzzle.').waitFor({ timeout: 60_000 });
          await ask.click();
          await messages.nth(before).waitFor();
        }
        await tapCode(page, mobile, 'new password');
        await isSolved.waitFor({ timeout: 60_000 });
        await page.getByRole('button', { name: 'Set the password', exact: true }).click();
        await page.getByText('If the number has an account, its new password is set.').waitFor();
        await page.getByLabel('Password', { exact: true }).fill('remembered 2');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
        expect(faults).toEqual([]);
      });
    },
    180_000,
  );

  pageIt('CON-5 files: progress, the reason of a refusal, the list, the download and the preview', async () => {
    const { page, faults } = await openSignedIn(newMobile());
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByText('You have no files yet.').waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello from a phone') },
      { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('this is no picture') },
    ]);
    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads.getByRole('listitem').filter({ hasText: 'notes.txt' }).getByText('Stored', { exact: true }).waitFor();
    const refused = uploads.getByRole('listitem').filter({ hasText: 'picture.png' });
    await refused.getByText('The content of the file does not match its extension.').waitFor();
    await page.getByLabel('Anybody with the link may see them').check();
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'shared.txt', mimeType: 'text/plain', buffer: Buffer.from('for everybody') }]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download notes.txt', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('notes.txt');
    await page.getByLabel('Name begins with').fill('none');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No file has such a name.').waitFor();
    expect(page.url()).toContain('name=none');
    expect(faults).toEqual([]);
  });

  pageIt(
    'CON-5 a session that ends elsewhere: the sign-in opens, and what was typed is saved after it',
    async () => {
      const mobile = newMobile();
      const { page, faults } = await openWithPassword(mobile, 'kept Secret 9');
      await page.getByRole('link', { name: 'Profile', exact: true }).click();
      const { api } = world().client;
      const { data } = dataOf(await api.GET('/admin/app-users', { params: { query: { mobile } } }));
      const [user] = data;
      if (user === undefined) throw new Error('the user is not there');
      dataOf(await api.DELETE('/admin/app-users/{id}/sessions', { params: { path: { id: user.id } } }));

      await page.getByLabel('Display name', { exact: true }).fill('Typed before');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Your session has ended' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel('Password', { exact: true }).fill('kept Secret 9');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The session had ended before this was done.').waitFor();
      expect(await page.getByLabel('Display name', { exact: true }).inputValue()).toBe('Typed before');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The name is saved.').waitFor();
      expect(faults).toEqual([]);
    },
    120_000,
  );

  pageIt(
    'CON-5 a lost network, and a server that restarts: a sentence, and nothing typed is lost',
    async () => {
      const { page } = await openSignedIn(newMobile());
      const field = page.getByLabel('Display name', { exact: true });
      const save = page.getByRole('button', { name: 'Save', exact: true });
      const unreachable = page.getByRole('alert').getByText('The service could not be reached.');

      await field.fill('On the train');
      await page.context().setOffline(true);
      await save.click();
      await unreachable.waitFor();
      await page.context().setOffline(false);
      await save.click();
      await page.getByText('The name is saved.').waitFor();

      await field.fill('After the restart');
      await world().service.stop();
      await save.click();
      await unreachable.waitFor();
      await world().service.start();
      expect(await field.inputValue()).toBe('After the restart');
      await save.click();
      await page.getByText('After the restart', { exact: true }).waitFor();
    },
    120_000,
  );

  pageIt('CON-5 ends all sessions after it has asked', async () => {
    const { page, sent } = await openSignedIn(newMobile());
    await page.getByRole('link', { name: 'Security', exact: true }).click();
    await page.getByRole('button', { name: 'End all sessions', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'End all sessions' });
    await dialog.getByText('You are signed out at once on every device').waitFor();
    await dialog.getByRole('button', { name: 'End all sessions', exact: true }).click();
    await page.getByText('All your sessions have ended').waitFor();
    await untilQuiet(page);
    // It would be refused, and stand in the audit log as such.
    expect(sent.filter((request) => request.includes('/auth/logout'))).toEqual([]);
  });

  pageIt.each([
    { locale: 'en-US', colorScheme: 'light', width: 1200 },
    { locale: 'zh-CN', colorScheme: 'light', width: 1200 },
    { locale: 'en-US', colorScheme: 'dark', width: 360 },
  ] as const)(
    'CON-5 each screen passes axe and stays within its window: $locale, $colorScheme, $width px',
    async ({ width, ...view }) => {
      const isChinese = view.locale === 'zh-CN';
      const name = (english: string, chinese: string) => (isChinese ? chinese : english);
      const { page, faults } = await world().open('/app', { ...view, viewport: { width, height: 800 } });
      const found: string[] = [];
      async function look(screen: string): Promise<void> {
        await page.getByRole('heading', { level: 1 }).waitFor();
        const shot = `app-${screen}-${view.locale.slice(0, 2)}-${view.colorScheme}-${width}`;
        await writeScreenshot(page, shot, shot === 'app-code-en-light-1200' ? 'app' : undefined);
        const overflow = await overflowOf(page);
        found.push(...(await violationsOf(page)).map((violation) => `${screen}: ${violation}`));
        if (overflow > 0) found.push(`${screen}: ${overflow} px too wide`);
      }
      const mobile = newMobile();
      await page.getByLabel(name('Mobile number', '手机号码'), { exact: true }).fill(mobile);
      await page.getByRole('button', { name: name('Get a code', '获取验证码'), exact: true }).click();
      await page.getByLabel(name('Code', '短信验证码'), { exact: true }).waitFor();
      if (width < 768) await page.getByRole('button', { name: name('Show', '显示') }).click();
      const message = page.getByRole('complementary').getByRole('listitem').filter({ hasText: mobile });
      await message.getByRole('button').first().click();
      await look('code');
      await page.getByRole('button', { name: name('Sign in', '登录'), exact: true }).click();
      const places = page.getByRole('navigation', { name: name('Navigation', '导航') });
      for (const [index, screen] of ['profile', 'files', 'security'].entries()) {
        await places.getByRole('link').nth(index).click();
        await look(screen);
      }
      expect(found).toEqual([]);
      expect(faults).toEqual([]);
    },
  );
}
