import { dataOf } from '@sallyport/api-client';
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { groupNames, placeNames, places } from '../../src/places/places.js';
import type { ConsoleWorld, Tab } from '../support/console-world.js';
import { goInPage } from '../support/go-in-page.js';
import { contrastFaultsOf, endTransitions, overflowOf, violationsOf } from '../support/page-checks.js';
import { untilQuiet } from '../support/quiet-page.js';
import { makeSampleContent } from '../support/sample-content.js';
import { writeScreenshot } from '../support/screenshots.js';

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 360, height: 740 };

type View = BrowserContextOptions & { readonly locale: 'en' | 'zh-CN'; readonly colorScheme: string };

/** Each language, each scheme and each width. English texts are the longer ones, so they are in the narrow window. */
const VIEWS: readonly View[] = [
  { locale: 'en', colorScheme: 'light', viewport: WIDE },
  { locale: 'en', colorScheme: 'dark', viewport: NARROW },
  { locale: 'zh-CN', colorScheme: 'dark', viewport: WIDE },
];

/** The pictures of the READMEs, by what they show. */
const KEPT: Readonly<Record<string, string>> = {
  'audit-log-en-light-wide': 'audit-log',
  'parameters-zh-CN-dark-wide': 'parameters-zh-CN',
};

export function describeEveryPage(world: () => ConsoleWorld): void {
  beforeAll(() => makeSampleContent(world()));

  /** What is wrong with the page as it is shown. */
  async function faultsOf({ page, sent, faults }: Tab, name: string): Promise<readonly string[]> {
    await expect
      .poll(() =>
        page
          .getByRole('status')
          .filter({ hasText: /^(?:Loading|加载中)$/ })
          .count(),
      )
      .toBe(0);
    await untilQuiet(page);
    const overflow = await overflowOf(page);
    const elsewhere = sent.map((request) => request.split('\n')[0] ?? '').filter((line) => !isOwn(line));
    await writeScreenshot(page, name, KEPT[name]);
    return [
      ...(await violationsOf(page)),
      ...(overflow > 0 ? [`${overflow} px wider than the window`] : []),
      ...elsewhere.map((line) => `sent to another host: ${line}`),
      ...faults.splice(0),
    ].map((fault) => `${name}: ${fault}`);
  }

  function isOwn(line: string): boolean {
    const address = line.split(' ')[1] ?? '';
    return address.startsWith(`${world().origin}/`) || /^(?:data|blob):/.test(address);
  }

  it.each(VIEWS)(
    'CON-1 every page passes axe, stays within its window, sends to no other host: $locale, $colorScheme, $viewport.width px',
    async (view) => {
      const scheme = view.colorScheme === 'dark' ? 'dark' : 'light';
      const options = { ...view, colorScheme: scheme } as const;
      const suffix = `${view.locale}-${scheme}-${view.viewport === WIDE ? 'wide' : 'narrow'}`;
      const found: string[] = [];

      found.push(...(await faultsOf(await world().open('/', options), `sign-in-${suffix}`)));
      found.push(...(await faultsOf(await world().open('/app', options), `app-sign-in-${suffix}`)));

      const tab = await world().openSignedIn('/', options);
      const names = placeNames[view.locale];
      const shown = [...places.map(({ path, name }) => ({ path, name: names[name] })), { path: '/profile', name: /./ }];
      for (const { path, name } of shown) {
        // One view loads each page anew. The others go from place to place, as a user does.
        if (view === VIEWS[0]) await tab.page.goto(`${world().origin}/console${path}`);
        else await goInPage(tab.page, path);
        await tab.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        found.push(...(await faultsOf(tab, `${path.slice(1)}-${suffix}`)));
      }
      expect(found).toEqual([]);
    },
    180_000,
  );

  it('CON-1 the keyboard skips to the content, and the filters stay', async () => {
    const { page } = await world().openSignedIn('/administrators?name=adm');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    expect(page.url()).toMatch(/administrators\?name=adm$/);
  });

  it('CON-1 CON-8 CON-10 the navigation reaches every place by keyboard, in groups, and names it; a visit is one record', async () => {
    const { client, openSignedIn } = world();
    const { page } = await openSignedIn('/profile');
    await untilQuiet(page);
    const names = Object.values(placeNames.en);
    const navigation = page.getByRole('navigation', { name: 'Navigation' });
    expect(await navigation.getByRole('link').allTextContents()).toEqual(names);
    for (const [group, name] of Object.entries(groupNames.en)) {
      const shown = await navigation.getByRole('list', { name, exact: true }).getByRole('link').allTextContents();
      expect(shown).toEqual(places.filter((place) => place.group === group).map((place) => placeNames.en[place.name]));
    }
    expect(await navigation.locator('a > span > svg[aria-hidden=true]').count()).toBe(places.length);
    const asked = new Map<string, string>();
    let visited = '';
    page.on('response', (response) => {
      const id = response.headers()['x-request-id'];
      if (id !== undefined && new URL(response.url()).pathname.startsWith('/admin/')) asked.set(id, visited);
    });
    for (const { path, name } of places) {
      visited = name;
      await navigation.getByRole('link', { name: placeNames.en[name], exact: true }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/console${path}`);
      await page.getByRole('heading', { level: 1, name: placeNames.en[name], exact: true }).waitFor();
      await untilQuiet(page);
    }
    expect(asked.size).toBeGreaterThan(0);
    const found = dataOf(await client.api.GET('/admin/audit-records', { params: { query: { size: 200 } } }));
    const written = Object.fromEntries(places.map(({ name }) => [name, [] as string[]]));
    for (const { action, extra } of found.data) {
      const place = asked.get(extra.requestId ?? '');
      if (place !== undefined) written[place]!.push(action);
    }
    const others = Object.entries(written).filter(([, actions]) => actions.length > 1);
    expect(Object.fromEntries(others)).toEqual({});
  }, 120_000);

  it('CON-10 what is under the pointer can be read: links of the navigation, buttons, rows, in light and dark colors', async () => {
    const { page } = await world().openSignedIn('/sessions');
    const found: string[] = [];
    for (const { path, name } of places) {
      await goInPage(page, `${path}${path === '/audit-log' ? '?outcome=success' : ''}`);
      await page.getByRole('heading', { level: 1, name: placeNames.en[name], exact: true }).waitFor();
      await untilQuiet(page);
      const open = page.getByRole('navigation', { name: 'Navigation' }).locator('[aria-current=page]');
      const other = page.getByRole('navigation', { name: 'Navigation' }).locator('a:not([aria-current])').first();
      // The first button of each kind.
      const kinds = ['default', 'light', 'subtle', 'filled'].map((variant) =>
        page.locator(`main button[data-variant=${variant}]:enabled`).filter({ visible: true }).first(),
      );
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        for (const under of [open, other, ...kinds, page.locator('main tbody a').first()]) {
          if ((await under.count()) === 0) continue;
          await under.hover();
          await endTransitions(page);
          found.push(...(await contrastFaultsOf(under)).map((fault) => `${path}, ${colorScheme}: ${fault}`));
        }
      }
    }
    expect(found).toEqual([]);
  }, 180_000);

  it('CON-1 the languages are switched in the page, and the choice is kept', async () => {
    const { page } = await world().openSignedIn('/sessions');
    await page.getByLabel('Language').selectOption('中文');
    await page.getByRole('heading', { level: 1, name: '会话' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '会话' }).waitFor();
    await page.getByLabel('语言').selectOption('English');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
  });
}
