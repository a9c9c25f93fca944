import type { Page, Request } from 'playwright-core';

/** For so long nothing is sent before a page is quiet, in milliseconds. */
const QUIET_TIME = 500;

/** The maximum wait for a quiet page, in milliseconds. */
const MAX_WAIT = 30_000;

const quietPages = new WeakMap<Page, { readonly open: Set<Request>; since: number }>();

/** The stream of the place Watch stays open, so that Playwright's `networkidle` never comes there. */
const isStream = (request: Request) => request.url().includes('/activity/stream');

/** Counts the requests of a page from now on. */
export function followRequests(page: Page): void {
  const state = { open: new Set<Request>(), since: performance.now() };
  quietPages.set(page, state);
  page.on('request', (request) => {
    if (!isStream(request)) state.open.add(request);
  });
  const end = (request: Request) => {
    if (state.open.delete(request)) state.since = performance.now();
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Resolves when a page has sent nothing for a while, its stream apart. */
export async function untilQuiet(page: Page): Promise<void> {
  const state = quietPages.get(page);
  if (state === undefined) throw new Error('the requests of this page are not followed');
  await page.waitForLoadState('load');
  const end = performance.now() + MAX_WAIT;
  while (state.open.size > 0 || performance.now() - state.since < QUIET_TIME) {
    if (performance.now() > end) {
      throw new Error(`not quiet: ${[...state.open].map((request) => request.url()).join(', ')}`);
    }
    await page.waitForTimeout(50);
  }
}
