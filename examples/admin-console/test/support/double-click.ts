import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Form } from '../forms/form.js';
import type { ConsoleWorld } from './console-world.js';
import { goInPage } from './go-in-page.js';

/**
 * How many requests a double click sends, as `PUT /admin/profile: 1`. None of them reaches the service. Both clicks
 * come before the page can disable the button.
 *
 * @param options `isLoaded` false: goes there in the page, which takes a third of the time
 */
export async function requestsOfDoubleClick(
  { origin }: Pick<ConsoleWorld, 'origin'>,
  page: Page,
  { path, sends, fill }: Form,
  { isLoaded = true } = {},
): Promise<string> {
  if (isLoaded) await page.goto(`${origin}/console${path}`);
  else await goAnew(page, path);
  const button = await fill(page);
  const sent: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isSent = (url: URL) => /^\/(?:admin|app|auth)\//.test(url.pathname);
  await page.route(isSent, async (route) => {
    const request = route.request();
    const line = `${request.method()} ${new URL(request.url()).pathname}`;
    if (!sends.test(line)) return route.fallback();
    sent.push(line);
    await released;
    await route.abort();
  });
  await button.evaluate((element) => {
    if (!(element instanceof HTMLElement)) return;
    element.click();
    element.click();
  });
  await expect.poll(() => sent.length, { message: path }).toBeGreaterThan(0);
  await expect.poll(() => button.isDisabled(), { message: path }).toBe(true);
  release();
  await expect.poll(() => button.isEnabled(), { message: path }).toBe(true);
  await page.unroute(isSent);
  return `${sends}: ${sent.length}`;
}

/** Goes to a place by way of no place, so that nothing of the form before is left. */
async function goAnew(page: Page, path: string): Promise<void> {
  await goInPage(page, '/not-a-page');
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await goInPage(page, path);
}
