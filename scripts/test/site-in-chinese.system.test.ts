import { describe, expect, test } from 'vitest';
import { lacks } from '../test-needs.js';
import { DESK, openSearch, PHONE, serveBuiltSite } from './built-site.js';

describe.skipIf(lacks('docs-site', 'chromium'))('the built site in Chinese', () => {
  const { open, addressOf } = serveBuiltSite();

  test.each([
    ['/zh/index.html', 'Sallyport'],
    ['/zh/quick-start.html', '快速开始'],
    ['/zh/processing-order.html', '处理顺序'],
    ['/zh/envelope-v1.html', '信封协议，第 1 版'],
    ['/zh/guides/going-to-production.html', '上线'],
    ['/zh/plugins/envelope-crypto.html', '@sallyport/envelope-crypto'],
  ])('DOC-3 %s opens at a desk and on a phone, in Chinese around it too, and is no wider', async (path, title) => {
    for (const viewport of [DESK, PHONE]) {
      const { page, faults } = await open(path, viewport);
      expect(await page.locator('h1').first().textContent()).toContain(title);
      expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(faults).toEqual([]);
      const around = await page.locator('.VPNav, .VPLocalNav, .VPSidebar, .VPDocFooter, .VPDocAside').allInnerTexts();
      expect(around.join()).not.toMatch(/On this page|Return to top|Search|Menu|Previous|Next|Appearance/);
      await page.close();
    }
  });

  test.each([
    ['重放', /zh\/plugins\/replay-guard/],
    ['检查点', /zh\/plugins\/audit-log/],
    ['固定公钥', /zh\/envelope-v1/],
  ])('DOC-3 the search finds %s, which stands in a run of characters', async (query, address) => {
    const { page } = await open('/zh/index.html', DESK);
    await (await openSearch(page)).fill(query);
    const result = page.locator('.VPLocalSearchBox a.result').first();
    await result.waitFor();
    expect(await result.getAttribute('href')).toMatch(address);
    await page.close();
  });

  test.each([
    ['/envelope-v1.html', '/zh/envelope-v1.html'],
    ['/examples/nest-app.html', '/zh/'],
    ['/zh/plugins/captcha.html', '/plugins/captcha.html'],
    ['/reference/envelope-crypto/clients.html', '/zh/reference/envelope-crypto/clients.html'],
    ['/reference/envelope-crypto/keys.html', '/zh/'],
  ])('DOC-3 the menu of languages leads from %s to %s', async (from, to) => {
    const { page } = await open(from, DESK);
    await page.locator('.VPNavBarTranslations button').hover();
    await page.locator('.VPNavBarTranslations a').click();
    await page.waitForURL(addressOf(to));
    expect(await page.locator('h1').first().textContent()).not.toContain('404');
    await page.close();
  });

  test('DOC-3 the figure of the processing order speaks Chinese', async () => {
    const { page } = await open('/zh/processing-order.html', PHONE);
    await page.getByRole('button', { name: /限流/ }).click();
    const caption = (await page.locator('figure.order figcaption').textContent())?.replaceAll(/\s+/g, '');
    expect(caption).toMatch(/在第7步被拒绝，由@fastify\/rate-limit以如下响应拒绝：429RATE_LIMITED。/);
    expect(caption).not.toMatch(/Refused|reached|way back/);
    await page.close();
  });
});
