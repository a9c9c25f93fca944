import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The Chromium of this machine; null if it has none. Tests of pages are skipped without it. Requirement EXM-1. */
export const chromiumProgram = findProgram('chromium', 'chromium-browser', 'google-chrome');

if (chromiumProgram === null) {
  if (process.env.CI === 'true') throw new Error('CI=true, and Chromium is not there');
  process.stderr.write('\nNo Chromium here: the tests of pages are SKIPPED (apt-get install chromium)\n\n');
}

/** Starts Chromium without a window. Close it. */
export async function openBrowser(): Promise<Browser> {
  if (chromiumProgram === null) throw new Error('Chromium is not installed');
  // Its sandbox needs rights that containers and root rarely have. It opens pages of this repository only.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  return chromium.launch({ executablePath: chromiumProgram, args });
}

function findProgram(...names: readonly string[]): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? null;
}
