import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram, openBrowser } from '../test-browser.js';

const dist = fileURLToPath(new URL('../../docs/dist', import.meta.url));
const isBuilt = existsSync(dist);
if (!isBuilt) {
  if (process.env.CI === 'true') throw new Error('CI=true, and the documentation is not built');
  process.stderr.write('\nNo docs/dist here: the tests of the site are SKIPPED (pnpm run docs:build)\n\n');
}

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };

let app: FastifyInstance;
let browser: Browser;
let base: string;

/** Opens a page, and keeps what must not happen: errors, and requests that fail or leave for another host. */
async function open(path: string, viewport: typeof PHONE): Promise<{ page: Page; faults: readonly string[] }> {
  const page = await browser.newPage({ viewport });
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(base)) faults.push(request.url());
  });
  page.on('response', (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`));
  await page.goto(`${base}${path}`);
  await page.waitForLoadState('networkidle');
  return { page, faults };
}

describe.skipIf(chromiumProgram === null || !isBuilt)('the built site', () => {
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

  test.each([
    ['/index.html', 'Sallyport'],
    ['/processing-order.html', 'Processing order'],
    ['/guides/going-to-production.html', 'Going to production'],
    ['/plugins/idempotency.html', '@sallyport/idempotency'],
    ['/api.html', 'The interface'],
    ['/benchmarks.html', 'Benchmarks'],
    ['/envelope-v1.html', 'Envelope protocol, version 1'],
  ])(
    'DOC-1 %s opens at a desk and on a phone, without an error or another host, and is no wider',
    async (path, title) => {
      for (const viewport of [DESK, PHONE]) {
        const { page, faults } = await open(path, viewport);
        expect(await page.locator('h1').first().textContent()).toContain(title);
        expect(faults).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
        await page.close();
      }
    },
  );

  test('DOC-1 the search finds a word of a README without any other host', async () => {
    const { page, faults } = await open('/index.html', DESK);
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').fill('Promela');
    const result = page.locator('.VPLocalSearchBox a.result').first();
    await result.waitFor();
    expect(await result.getAttribute('href')).toMatch(/replay-guard/);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('DOC-1 the figure of the processing order says what a refusal spares', async () => {
    const { page } = await open('/processing-order.html', PHONE);
    await page.getByRole('button', { name: /rate limiting/ }).click();
    const caption = (await page.locator('figure.order figcaption').textContent())?.replaceAll(/\s+/g, ' ');
    expect(caption).toMatch(/Refused at 7 by @fastify\/rate-limit with 429 RATE_LIMITED/);
    expect(caption).toMatch(/Not reached, and not paid for: endpoint encryption policy, JSON body decryption/);
    await page.close();
  });

  test('DOC-1 diagrams are drawn, and the table of operations has every operation', async () => {
    const { page } = await open('/envelope-v1.html', DESK);
    await page.locator('figure[role="img"] svg').first().waitFor();
    await page.close();
    const { page: api } = await open('/api.html', DESK);
    expect(await api.getByText('POST /admin/payments', { exact: true }).count()).toBe(1);
    await api.close();
  });
});
