import { buttonOf, type Form, question } from './form.js';

/** What an app user sends before the sign-in. */
export const SIGNED_OUT_FORMS: readonly Form[] = [
  {
    file: 'app-side/codes/use-code.ts',
    path: '/app',
    sends: /^POST \/app\/auth\/sendSmsCode$/,
    async fill(page) {
      await page.getByLabel('Mobile number', { exact: true }).fill('13800000000');
      return buttonOf(page, 'Get a code');
    },
  },
  {
    file: 'app-side/sign-in/use-sign-in.ts',
    path: '/app',
    sends: /^POST \/app\/auth\/login$/,
    async fill(page) {
      await page.getByLabel('Mobile number', { exact: true }).fill('13800000000');
      await buttonOf(page, 'I already have a code').click();
      await page.getByLabel('Code', { exact: true }).fill('000000');
      return buttonOf(page, 'Sign in');
    },
  },
  {
    file: 'app-side/sign-in/recovery-screen.tsx',
    path: '/app/recover',
    sends: /^POST \/app\/auth\/recoverPassword$/,
    async fill(page) {
      await page.getByLabel('Mobile number', { exact: true }).fill('13800000000');
      await buttonOf(page, 'I already have a code').click();
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByLabel('New password', { exact: true }).fill('remembered 2');
      const captcha = page.getByRole('group', { name: 'One more step' }).filter({ hasText: 'always needs it' });
      await captcha.getByText('Proof of work', { exact: true }).click();
      await captcha.getByText('Your browser has solved the puzzle.').waitFor({ timeout: 60_000 });
      return buttonOf(page, 'Set the password');
    },
  },
];

/** What an app user sends after it. */
export const APP_FORMS: readonly Form[] = [
  {
    file: 'app-side/account/profile-screen.tsx',
    path: '/app',
    sends: /^PUT \/app\/profile$/,
    async fill(page) {
      await page.getByLabel('Display name', { exact: true }).fill('Twice');
      return buttonOf(page, 'Save');
    },
  },
  {
    file: 'app-side/files/own-files.tsx',
    path: '/app/files',
    sends: /^POST \/auth\/tickets$/,
    async fill(page) {
      const content = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello from a phone') };
      await page.locator('input[type=file]').setInputFiles(content);
      return buttonOf(page, 'Download notes.txt');
    },
  },
  {
    file: 'app-side/account/password-form.tsx',
    path: '/app/security',
    sends: /^PUT \/app\/profile\/password$/,
    async fill(page) {
      await buttonOf(page, 'I already have a code').click();
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByLabel('New password', { exact: true }).fill('remembered 2');
      return buttonOf(page, 'Set a password');
    },
  },
  {
    file: 'app-side/account/security-screen.tsx',
    path: '/app/security',
    sends: /^DELETE \/app\/sessions$/,
    fill: (page) => question(page, 'End all sessions'),
  },
];
