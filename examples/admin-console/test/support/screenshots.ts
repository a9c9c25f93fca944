import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Pictures of every run, to look at. They are not kept. */
const RUN_FOLDER = fileURLToPath(new URL('../../.screenshots/', import.meta.url));

/** The pictures of the READMEs. `CONSOLE_SCREENSHOTS=write` renews them. */
const KEPT_FOLDER = fileURLToPath(new URL('../../screenshots/', import.meta.url));

/**
 * Writes a picture of the window.
 *
 * @param keptAs its name in the repository. Default: it is not kept.
 */
export async function writeScreenshot(page: Page, name: string, keptAs?: string): Promise<void> {
  await mkdir(RUN_FOLDER, { recursive: true });
  await page.screenshot({ path: `${RUN_FOLDER}${name}.png`, animations: 'disabled' });
  if (keptAs !== undefined && process.env.CONSOLE_SCREENSHOTS === 'write') {
    await mkdir(KEPT_FOLDER, { recursive: true });
    await page.screenshot({ path: `${KEPT_FOLDER}${keptAs}.png`, animations: 'disabled' });
  }
}
