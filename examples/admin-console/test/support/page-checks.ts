import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations of WCAG 2.2, levels A and AA, and of axe's best practices: one text each. None is expected. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(await axeSource);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** The texts with too little contrast: one text each. None is expected. */
export async function contrastFaultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(await axeSource);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { runOnly: ['color-contrast'] })");
  return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`));
}

/** How far the page is wider than its window, in CSS pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
