import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** `CONSOLE_SCREENSHOTS=write` renews the pictures of the repository; other runs leave theirs in a folder beside. */
const FOLDER = fileURLToPath(
  new URL(process.env.CONSOLE_SCREENSHOTS === 'write' ? '../../screenshots/' : '../../.screenshots/', import.meta.url),
);

/** Writes a picture of the window. */
export async function writeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: `${FOLDER}${name}.png`, animations: 'disabled' });
}
