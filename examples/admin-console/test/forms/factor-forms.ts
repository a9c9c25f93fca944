import { buttonOf, type Form, question } from './form.js';

/** What somebody with a second factor sends. */
export const FACTOR_FORMS: readonly Form[] = [
  {
    file: 'second-step/own-factors.tsx',
    path: '/profile',
    sends: /^POST \/auth\/second-factors\/recovery-codes$/,
    fill: (page) => question(page, 'New recovery codes'),
  },
  {
    file: 'second-step/own-factors.tsx',
    path: '/profile',
    sends: /^DELETE \/auth\/second-factors\/[^/]+$/,
    fill: (page) => question(page, 'Remove'),
  },
];

/** The second step of a sign-in. */
export const secondStepForm = (account: { readonly username: string; readonly password: string }): Form => ({
  file: 'second-step/proof-form.tsx',
  path: '/',
  sends: /^POST \/auth\/second-factor$/,
  async fill(page) {
    await page.getByLabel('Username', { exact: true }).fill(account.username);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await buttonOf(page, 'Sign in').click();
    await page.getByLabel('Code of the app').fill('000000');
    return buttonOf(page, 'Confirm');
  },
});
