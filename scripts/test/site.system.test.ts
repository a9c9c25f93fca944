import { describe, expect, test } from 'vitest';
import { lacks } from '../test-needs.js';
import { DESK, openSearch, PHONE, serveBuiltSite } from './built-site.js';

describe.skipIf(lacks('docs-site', 'chromium'))('the built site', () => {
  const { open } = serveBuiltSite();

  test.each([
    ['/index.html', 'Sallyport'],
    ['/processing-order.html', 'Processing order'],
    ['/guides/going-to-production.html', 'Going to production'],
    ['/plugins/idempotency.html', '@sallyport/idempotency'],
    ['/reference/audit-log/checkpoints.html', 'audit-log: checkpoints'],
    ['/reference/plugin-kit.html', 'plugin-kit: reference'],
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

  test('DOC-1 a page is no wider while its diagram is text, before the script has come', async () => {
    const { page } = await open('/index.html', PHONE, /chunks\/mermaid/);
    await page.locator('.diagram-text').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.close();
  });

  test('DOC-1 the search finds a word of a README without any other host', async () => {
    const { page, faults } = await open('/index.html', DESK);
    await (await openSearch(page)).fill('Promela');
    // The start page names it as well.
    await page.locator('.VPLocalSearchBox a.result[href*="replay-guard"]').first().waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  test.each([
    ['sweepSeconds', '/reference/audit-log/postgresql'],
    ['TICKET_USE_INVALID', '/reference/auth-tokens/options'],
    ['createMarkKeeper', '/reference/ttl-store/marks-and-lists'],
  ])('HSE-7 the search finds %s on the page of the reference', async (word, address) => {
    const { page } = await open('/index.html', DESK);
    await (await openSearch(page)).fill(word);
    await page.locator(`.VPLocalSearchBox a.result[href*="${address}"]`).first().waitFor();
    await page.close();
  });

  test('HSE-7 the sidebar has the reference of a plugin below it', async () => {
    const { page } = await open('/reference/audit-log/checkpoints.html', DESK);
    const beside = page.locator('.VPSidebar a[href^="/reference/audit-log/"]');
    expect(await beside.count()).toBe(7);
    await page.locator('.VPSidebar .is-active a', { hasText: 'Checkpoints' }).waitFor();
    await beside.first().click();
    await page.locator('h1', { hasText: 'audit-log: in an existing app' }).waitFor();
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
