import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** What a run shows, to look at. The pictures are not kept. */
const RUN_FOLDER = fileURLToPath(new URL('../../.screenshots/', import.meta.url));

/** The pictures of the READMEs. */
const KEPT_FOLDER = fileURLToPath(new URL('../../screenshots/', import.meta.url));

/**
 * Writes a picture of the window where `CONSOLE_SCREENSHOTS` asks for it: `look` for those of this run, `write` also
 * for those of the READMEs. A picture of each page takes seconds of every run.
 *
 * @param keptAs its name in the repository. Default: it is not kept.
 */
export async function writeScreenshot(page: Page, name: string, keptAs?: string): Promise<void> {
  const { CONSOLE_SCREENSHOTS: wanted = '' } = process.env;
  if (wanted === '') return;
  await mkdir(RUN_FOLDER, { recursive: true });
  await page.screenshot({ path: `${RUN_FOLDER}${name}.png`, animations: 'disabled' });
  if (keptAs !== undefined && wanted === 'write') {
    await mkdir(KEPT_FOLDER, { recursive: true });
    await page.screenshot({ path: `${KEPT_FOLDER}${keptAs}.png`, animations: 'disabled' });
  }
}
