import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axeCore from 'axe-core';
import type { Locator, Page } from 'playwright-core';

declare const axe: typeof axeCore;

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** It is large, and stays until the next page. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await axeSource);
}

/** The violations of WCAG 2.2, levels A and AA, and of axe's best practices: one text each. None is expected. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await loadAxe(page);
  // A notice that is on its way in has less contrast than where it stays.
  await endTransitions(page);
  // What passes is not asked for: axe would describe every element of the page, and send it here.
  const violations = await page.evaluate(async () => {
    const { violations: found } = await axe.run(document, { resultTypes: ['violations'] });
    return found;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** The texts with too little contrast in an element, or in its row of a table: one text each. None is expected. */
export async function contrastFaultsOf(element: Locator): Promise<readonly string[]> {
  await loadAxe(element.page());
  const violations = await element.evaluate(async (under) => {
    const { violations: found } = await axe.run(under.closest('tr') ?? under, {
      runOnly: ['color-contrast'],
      resultTypes: ['violations'],
    });
    return found;
  });
  return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`));
}

/** How far the page is wider than its window, in CSS pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Shows at once what colors and sizes are on their way to. */
export async function endTransitions(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
}
