import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './test-needs.js';

/**
 * Each context of a browser would draw the two popups of the address bar in processes of their own, which take more
 * time than a page. Chromium obeys the last list only, so those follow that Playwright turns off.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
].join();

/** Starts Chromium without a window. Close it. */
export async function openBrowser(): Promise<Browser> {
  const program = findChromium();
  if (program === null) throw new Error('Chromium is not installed');
  // Its sandbox needs rights that containers and root rarely have. It opens pages of this repository only.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  args.push(`--disable-features=${DISABLED_FEATURES}`);
  return chromium.launch({ executablePath: program, args });
}
