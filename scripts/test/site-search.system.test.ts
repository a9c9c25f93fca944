import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { searchWords } from '../../docs/.vitepress/search-words.js';
import { lacks } from '../test-needs.js';
import { DESK, openSearch, serveBuiltSite } from './built-site.js';

const words = Object.entries(searchWords).flatMap(([page, found]) => found.map((word) => [word, page] as const));

describe.skipIf(lacks('docs-site', 'chromium'))('the search of the built site', () => {
  const { open } = serveBuiltSite();

  test('DOC-5 finds the meant page first, for each of at least forty words', { timeout: 240_000 }, async () => {
    expect(words.length).toBeGreaterThan(40);
    const { page, faults } = await open('/index.html', DESK);
    const input = await openSearch(page);
    const missed: string[] = [];
    for (const [word, meant] of words) {
      await input.fill('');
      await page.locator('.VPLocalSearchBox a.result').first().waitFor({ state: 'detached' });
      await input.fill(word);
      const first = page.locator('.VPLocalSearchBox a.result').first();
      await first.waitFor();
      const address = new URL((await first.getAttribute('href')) ?? '', 'http://site').pathname;
      if (address.replace(/(\.html)?$/, '.md') !== `/${meant}`) missed.push(`${word}: ${address}, not ${meant}`);
    }
    expect(missed).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('DOC-5 the pages are there as text for language models, and each can be edited', async () => {
    const read = (name: string) =>
      readFileSync(join(fileURLToPath(new URL('../../docs/dist/', import.meta.url)), name), 'utf8');
    expect(read('llms.txt')).toMatch(/^- \[@sallyport\/login-policy\]\(\/plugins\/login-policy\.html\): \w.+\.$/m);
    expect(read('llms-full.txt')).toContain('<!-- /plugins/login-policy.html -->');
    expect(read('llms.txt')).not.toContain('/zh/');
    const { page } = await open('/plugins/login-policy.html', DESK);
    const edit = await page.locator('.edit-link-button').getAttribute('href');
    expect(edit).toMatch(/\/edit\/main\/packages\/login-policy\/README\.md$/);
    expect(await page.locator('.VPNavBarMenu').textContent()).toMatch(/v\d+\.\d+\.\d+/);
    await page.close();
  });
});
