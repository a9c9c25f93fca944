import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { openBrowser } from '../../../scripts/test-browser.js';
import { lacks } from '../../../scripts/test-needs.js';

describe('the form of parameters', { timeout: 90_000 }, () => {
  let server: ExampleProcess;
  beforeEach(async () => {
    server = await startExample('parameters-form');
  });
  afterEach(() => server.stop());

  const pageText = async () => (await fetch(server.origin)).text();

  async function save(key: string, user: string, body: object) {
    const response = await fetch(`${server.origin}/admin/system-parameters/${key}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-user': user },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('EXM-1 SYS-1 has a field for each definition, with group, text, unit, bounds, default and version', async () => {
    const page = await pageText();
    expect(page.match(/<legend>.*?<\/legend>/g)).toEqual(['<legend>Orders</legend>', '<legend>Notice</legend>']);
    expect(page.match(/data-key="[^"]+" data-version="0"/g)).toHaveLength(5);
    const words = page.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      '<label>Length of a page of the list ' +
        '<input type="number" name="value" min="1" max="100" value="20" required> items, 1 to 100</label>',
    );
    expect(words).toContain('<label>Show the notice <input type="checkbox" name="value"></label>');
    expect(words).toContain('<label>Notice <input name="value" maxlength="80" value=""></label>');
    expect(words).toContain('<small>default: 18</small>');
  });

  it('EXM-1 SYS-2 saves under the version that was read, and refuses the second of two changes', async () => {
    const key = 'orders.items-per-page';
    expect(await save(key, 'ada', { value: 50, version: 0 })).toMatchObject({
      status: 200,
      body: { data: { value: 50, version: 1, updatedBy: 'ada' } },
    });
    expect(await save(key, 'bob', { value: 60, version: 0 })).toMatchObject({
      status: 409,
      body: { code: 'PARAMETER_VERSION_CONFLICT' },
    });
    expect(await pageText()).toContain(`data-key="${key}" data-version="1"`);
    expect(await pageText()).toContain('value="50"');
  });

  it('EXM-1 SYS-2 refuses values out of bounds, and values that break a rule of their group', async () => {
    expect(await save('orders.items-per-page', 'ada', { value: 101, version: 0 })).toMatchObject({
      status: 400,
      body: { message: 'The change is not valid: value must be a whole number from 1 to 100' },
    });
    expect(await save('orders.opens-at', 'ada', { value: 18, version: 0 })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must leave an hour between opening and closing') },
    });
  });

  it('EXM-1 shows a text as text, never as markup', async () => {
    await save('notice.text', 'ada', { value: '"><script>alert(1)</script>', version: 0 });
    const page = await pageText();
    expect(page).not.toContain('<script>alert');
    expect(page).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"');
  });

  it.skipIf(lacks('chromium'))(
    'EXM-1 SYS-2 two people change one field in a browser: the second is told who was first, and may replace it',
    async () => {
      const browser = await openBrowser();
      try {
        const open = async (user: string) => {
          const page = await browser.newPage();
          await page.goto(`${server.origin}/?user=${user}`);
          const form = page.locator('form[data-key="orders.items-per-page"]');
          return {
            set: (value: string) => form.locator('input').fill(value),
            save: () => form.getByRole('button').click(),
            told: (text: string) => form.locator('output', { hasText: text }).waitFor(),
            page,
          };
        };
        const [ada, bob] = [await open('ada'), await open('bob')];
        await ada.set('50');
        await ada.save();
        await ada.told('Saved.');
        await bob.set('60');
        await bob.save();
        await bob.told('ada set this to 50 meanwhile. Save again to replace it.');
        await bob.save();
        await bob.told('Saved.');
        expect(await pageText()).toContain('data-key="orders.items-per-page" data-version="2"');

        // The group's rule, and a switch.
        const opening = bob.page.locator('form[data-key="orders.opens-at"]');
        await opening.locator('input').fill('20');
        await opening.getByRole('button').click();
        await opening.locator('output', { hasText: 'must leave an hour' }).waitFor();
        const notice = bob.page.locator('form[data-key="notice.shown"]');
        await notice.locator('input').check();
        await notice.getByRole('button').click();
        await notice.locator('output', { hasText: 'Saved.' }).waitFor();
        expect(await pageText()).toContain('<input type="checkbox" name="value" checked>');
      } finally {
        await browser.close();
      }
    },
  );
});
