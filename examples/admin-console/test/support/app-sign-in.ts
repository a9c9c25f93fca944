import { randomInt } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A number that nobody else in this run has. */
export const newMobile = () => `138${randomInt(1e8).toString().padStart(8, '0')}`;

/** Taps the newest code for the number in the outbox beside the phone, once it has so many. */
export async function tapCode(page: Page, mobile: string, about = 'sign in', count = 1): Promise<void> {
  const message = page
    .getByRole('complementary', { name: 'Development outbox' })
    .getByRole('listitem')
    .filter({ hasText: mobile })
    .filter({ hasText: about });
  await expect.poll(() => message.count()).toBeGreaterThanOrEqual(count);
  await message.getByRole('button', { name: 'Use the code' }).first().click();
  await expect.poll(() => page.getByLabel('Code', { exact: true }).inputValue()).toMatch(/^\d+$/);
}

/** Sends the code of a text message, the first one or a later one. A second step may follow. */
export async function sendCode(page: Page, mobile: string, count = 1): Promise<void> {
  await page.getByLabel('Mobile number', { exact: true }).fill(mobile);
  await page.getByRole('button', { name: 'Get a code', exact: true }).click();
  await tapCode(page, mobile, 'sign in', count);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The first page of a signed-in user. */
export const inTheApp = (page: Page) => page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
