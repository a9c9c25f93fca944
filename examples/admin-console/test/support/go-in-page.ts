import type { Page } from 'playwright-core';

/** Goes to a place below `/console` without loading the page again, which takes longer than most checks of a place. */
export async function goInPage(page: Page, path: string): Promise<void> {
  await page.evaluate((address) => history.pushState(null, '', address), `/console${path}`);
}
