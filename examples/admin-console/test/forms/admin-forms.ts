import { buttonOf, type Form, openDialog, question } from './form.js';

const PASSWORD = 'tidal-otter-92';

export const SIGN_IN_FORM: Form = {
  file: 'session/sign-in-form.tsx',
  path: '/',
  sends: /^POST \/admin\/auth\/login$/,
  async fill(page) {
    await page.getByLabel('Username', { exact: true }).fill('twice-clicked');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    return buttonOf(page, 'Sign in');
  },
};

/**
 * What an administrator sends after the sign-in, in the order of a walk through the places.
 *
 * @param subject the name of an account and of a file that the forms are about
 */
export function adminForms(subject: string): readonly Form[] {
  const ofAccount = `/administrators?name=${subject}`;
  return [
    {
      file: 'places/payments/payment-attempt.ts',
      path: '/payments',
      sends: /^POST \/admin\/payments$/,
      async fill(page) {
        const dialog = await openDialog(page, 'New payment');
        await dialog.getByLabel('Payee').fill('Twice');
        await dialog.getByLabel('Amount').fill('1');
        return dialog.getByRole('button', { name: 'Pay', exact: true });
      },
    },
    {
      file: 'places/administrators/new-administrator-form.tsx',
      path: '/administrators',
      sends: /^POST \/admin\/administrators$/,
      async fill(page) {
        const dialog = await openDialog(page, 'New administrator');
        await dialog.getByLabel('Username').fill('twice');
        await dialog.getByLabel('Display name').fill('Twice');
        await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await dialog.getByLabel('Repeat the password').fill(PASSWORD);
        return dialog.getByRole('button', { name: 'Create' });
      },
    },
    {
      file: 'places/administrators/administrator-form.tsx',
      path: ofAccount,
      sends: /^PUT \/admin\/administrators\/[^/]+$/,
      async fill(page) {
        const dialog = await openDialog(page, 'Change');
        await dialog.getByLabel('Display name').fill('Another name');
        return dialog.getByRole('button', { name: 'Save' });
      },
    },
    {
      file: 'places/administrators/reset-password-form.tsx',
      path: ofAccount,
      sends: /^PUT \/admin\/administrators\/[^/]+\/password$/,
      async fill(page) {
        const dialog = await openDialog(page, 'Reset password');
        await dialog.getByLabel('New password').fill(PASSWORD);
        await dialog.getByLabel('Repeat the password').fill(PASSWORD);
        return dialog.getByRole('button', { name: 'Reset password' });
      },
    },
    {
      file: 'places/administrators/administrator-actions.tsx',
      path: ofAccount,
      sends: /^DELETE \/admin\/administrators\/[^/]+\/sessions$/,
      fill: (page) => question(page, 'End all sessions'),
    },
    {
      file: 'places/administrators/administrator-actions.tsx',
      path: ofAccount,
      sends: /^DELETE \/admin\/administrators\/[^/]+$/,
      fill: (page) => question(page, 'Delete'),
    },
    {
      file: 'places/app-users/app-users-page.tsx',
      path: '/app-users',
      sends: /^PUT \/admin\/app-users\/[^/]+$/,
      fill: (page) => question(page, 'Disable'),
    },
    {
      file: 'places/app-users/app-users-page.tsx',
      path: '/app-users',
      sends: /^DELETE \/admin\/app-users\/[^/]+\/sessions$/,
      fill: (page) => question(page, 'End the sessions'),
    },
    {
      file: 'places/roles/role-form.tsx',
      path: '/roles',
      sends: /^POST \/admin\/roles$/,
      async fill(page) {
        const dialog = await openDialog(page, 'New role');
        await dialog.getByLabel('Name', { exact: true }).fill('Twice');
        return dialog.getByRole('button', { name: 'Create' });
      },
    },
    {
      file: 'places/roles/roles-page.tsx',
      path: '/roles',
      sends: /^DELETE \/admin\/roles\/[^/]+$/,
      fill: (page) => question(page, 'Delete'),
    },
    {
      file: 'places/files/policy-trial.tsx',
      path: '/files?view=policy',
      sends: /^POST \/admin\/storage\/simulate$/,
      async fill(page) {
        const content = { name: 'tried.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') };
        await buttonOf(page, 'Try').waitFor();
        await page.locator('form input[type=file]').setInputFiles(content);
        return buttonOf(page, 'Try');
      },
    },
    {
      file: 'places/files/file-list.tsx',
      path: `/files?name=${subject}`,
      sends: /^POST \/auth\/tickets$/,
      fill: async (page) => buttonOf(page, 'Download'),
    },
    {
      file: 'places/files/file-list.tsx',
      path: `/files?name=${subject}`,
      sends: /^DELETE \/admin\/storage\/files\/[^/]+$/,
      fill: (page) => question(page, 'Delete'),
    },
    {
      file: 'places/audit-log/verification.ts',
      path: '/audit-log',
      sends: /^POST \/admin\/audit-records\/verify$/,
      fill: async (page) => buttonOf(page, 'Verify'),
    },
    {
      file: 'places/audit-log/export-dialog.tsx',
      path: '/audit-log',
      sends: /^GET \/admin\/audit-records\/export$/,
      fill: async (page) => (await openDialog(page, 'Export')).getByRole('button', { name: 'Export and save' }),
    },
    {
      file: 'places/sessions/end-sessions.tsx',
      path: '/sessions',
      sends: /^DELETE \/admin\/sessions\/[^/]+$/,
      fill: (page) => question(page, 'End the session'),
    },
    {
      file: 'places/login-limits/clear-limits.tsx',
      path: `/login-limits?user=${subject}`,
      sends: /^POST \/admin\/auth\/clearLoginLimit$/,
      fill: (page) => question(page, 'Clear limits of the name'),
    },
    {
      file: 'places/login-limits/clear-limits.tsx',
      path: '/login-limits?address=192.0.2.7',
      sends: /^POST \/admin\/auth\/clearLoginLimit$/,
      fill: (page) => question(page, 'Clear limits of the address'),
    },
    {
      file: 'places/profile/display-name-form.tsx',
      path: '/profile',
      sends: /^PUT \/admin\/profile$/,
      async fill(page) {
        await page.getByLabel('Display name').fill('Twice');
        return buttonOf(page, 'Save');
      },
    },
    {
      file: 'places/profile/password-form.tsx',
      path: '/profile',
      sends: /^PUT \/admin\/profile\/password$/,
      async fill(page) {
        await page.getByLabel('Old password').fill(PASSWORD);
        await page.getByLabel('New password').fill(`${PASSWORD}!`);
        await page.getByLabel('Repeat the password').fill(`${PASSWORD}!`);
        return buttonOf(page, 'Change password');
      },
    },
    {
      file: 'second-step/enrolment.tsx',
      path: '/profile',
      sends: /^POST \/auth\/second-factors\/totp$/,
      fill: async (page) => (await openDialog(page, 'Add a second factor')).getByRole('button', { name: 'Continue' }),
    },
    {
      file: 'second-step/account-factors.tsx',
      path: ofAccount,
      sends: /^DELETE \/admin\/administrators\/[^/]+\/second-factors$/,
      fill: (page) => question(page, 'Reset second factors'),
    },
    {
      file: 'second-step/account-factors.tsx',
      path: ofAccount,
      sends: /^POST \/admin\/administrators\/[^/]+\/second-factors\/enrolment-code$/,
      fill: (page) => question(page, 'Enrolment code'),
    },
    {
      file: 'places/laboratory/use-laboratory.ts',
      path: '/laboratory',
      sends: /^POST \/admin\/payments$/,
      async fill(page) {
        await page.getByRole('radiogroup', { name: 'Request' }).getByText('Make a payment', { exact: true }).click();
        return buttonOf(page, 'Send');
      },
    },
    {
      file: 'places/parameters/parameter-changes.ts',
      path: '/parameters?search=admin.auth.login.lock-seconds',
      sends: /^PUT \/admin\/system-parameters\/[^/]+$/,
      async fill(page) {
        await page.getByLabel('How long a lock lasts that failed sign-ins have caused', { exact: true }).fill('901');
        return buttonOf(page, 'Save');
      },
    },
  ];
}
