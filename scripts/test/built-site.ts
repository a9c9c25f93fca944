import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openBrowser } from '../test-browser.js';

const dist = fileURLToPath(new URL('../../docs/dist', import.meta.url));
export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 900 };

interface OpenPage {
  readonly page: Page;
  /** What must not happen: errors, and requests that fail or leave for another host. */
  readonly faults: readonly string[];
}

/** Serves the built site, with a browser, for the tests of a `describe`. */
export function serveBuiltSite() {
  let app: FastifyInstance;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    app = fastify();
    await app.register(fastifyStatic, { root: dist });
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  /** @param without requests that fail */
  const open = async (path: string, viewport: typeof PHONE, without?: RegExp): Promise<OpenPage> => {
    const page = await browser.newPage({ viewport });
    if (without !== undefined) await page.route(without, (route) => route.abort());
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(base)) faults.push(request.url());
    });
    page.on(
      'response',
      (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`),
    );
    await page.goto(`${base}${path}`);
    await page.waitForLoadState('networkidle');
    return { page, faults };
  };
  return { open, addressOf: (path: string) => `${base}${path}` };
}

/** Opens the search, and returns its field. */
export async function openSearch(page: Page): Promise<Locator> {
  const field = page.locator('.VPLocalSearchBox input');
  // The page takes no key before its script runs.
  const isOpen = async () => {
    if (!(await field.isVisible())) await page.keyboard.press('Control+k');
    return field.isVisible();
  };
  await expect.poll(isOpen, { timeout: 30_000, interval: 500 }).toBe(true);
  return field;
}
