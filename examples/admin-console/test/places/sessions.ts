import { expect, it } from 'vitest';
import type { ConsoleWorld } from '../support/console-world.js';

export function describeSessions(world: () => ConsoleWorld): void {
  it('CON-2 lists the sessions of all users, and ends one: its page asks to sign in again and keeps what was typed', async () => {
    const { openSignedIn } = world();
    const { page, faults } = await openSignedIn('/sessions');
    // The newest session is the first one. The client of the tests may sign in before a tab does.
    const victim = await openSignedIn('/payments');
    await page.getByLabel('User', { exact: true }).fill('admin');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('user=admin');
    await page.getByRole('button', { name: 'End the session' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'End the session' });
    await dialog.getByText('The session of admin').waitFor();
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('The session has ended.').waitFor();
    expect(faults).toEqual([]);

    await victim.page.reload();
    await victim.page.getByLabel('Username', { exact: true }).waitFor();
  });
}
