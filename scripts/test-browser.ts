import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './test-needs.js';

/** The Chromium of this machine; null if it has none. */
const chromiumProgram = findProgram('chromium', 'chromium-browser', 'google-chrome');

/** Starts Chromium without a window. Close it. */
export async function openBrowser(): Promise<Browser> {
  if (chromiumProgram === null) throw new Error('Chromium is not installed');
  // Its sandbox needs rights that containers and root rarely have. It opens pages of this repository only.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  return chromium.launch({ executablePath: chromiumProgram, args });
}
