import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dataOf } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ADMIN, type ConsoleWorld, submitSignIn } from '../support/console-world.js';
import { violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';

/** A picture of 5 × 5 points. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
  'base64',
);

/** A megabyte takes ten seconds: long enough to see the progress. */
const SLOW_BYTES_PER_SECOND = 100_000;

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const textFile = (name: string, text = 'a,b\n1,2\n'): ChosenFile => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
});

export function describeFiles(world: () => ConsoleWorld, pageIt: PageIt): void {
  const item = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Uploads' }).getByRole('listitem', { name, exact: true });

  async function choose(page: Page, ...files: readonly ChosenFile[]): Promise<void> {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles([...files]);
  }

  async function countOf(name: string): Promise<number> {
    const answer = await world().client.api.GET('/admin/storage/files', { params: { query: { name } } });
    return dataOf(answer).data.length;
  }

  /** Ends the session of the tab that was opened last, as somebody else would. */
  async function endNewestSession(): Promise<void> {
    const { api } = world().client;
    const sessions = dataOf(await api.GET('/admin/sessions', { params: { query: { scope: 'all' } } })).data;
    const others = sessions.filter(({ current }) => !current);
    const newest = others.reduce((last, session) => (session.issuedAt > last.issuedAt ? session : last));
    dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id: newest.id } } }));
  }

  it('CON-2 stores what the policy accepts, and says of every other file why, with the request id', async () => {
    const { page, faults } = await world().openSignedIn('/files');
    await page.getByText(/^Accepted now: at most \d+ MiB each, .*\bpng\b/).waitFor();
    await page.getByLabel('Everybody may see these files').check();
    await choose(
      page,
      { name: 'gate.png', mimeType: 'image/png', buffer: PNG },
      { name: 'tool.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
      { name: 'false.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no such file') },
      textFile('table.csv'),
    );
    await item(page, 'gate.png').getByText('Stored').waitFor();
    await item(page, 'tool.exe').getByText('Files with this extension are not accepted.').waitFor();
    await item(page, 'tool.exe').getByText('Request id').waitFor();
    await item(page, 'false.pdf').getByText('The content of the file does not match its extension.').waitFor();
    await item(page, 'table.csv').getByText('This file may not be previewed publicly.').waitFor();
    await page.getByText('1 of 4 stored, 3 not stored.').waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await item(page, 'table.csv').getByRole('button', { name: 'Upload without public preview' }).click();
    await item(page, 'table.csv').getByText('Stored').waitFor();
    await page.getByRole('button', { name: 'Clear finished uploads' }).click();
    await page.getByLabel('Name').fill('TABLE');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('name=TABLE');
    await page.getByRole('table', { name: 'Files' }).getByText('table.csv').waitFor();
    expect(await page.getByRole('table', { name: 'Files' }).getByText('gate.png').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  pageIt('CON-2 takes files that are dropped on the page', async () => {
    const { page } = await world().openSignedIn('/files');
    await page.getByText('Drop files here').waitFor();
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File(['x,y'], 'dropped.csv', { type: 'text/csv' })); return data; })()`,
    );
    await page.dispatchEvent('body', 'dragover', { dataTransfer: dropped });
    await page.getByText('Drop the files to upload them.').waitFor();
    await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
    await item(page, 'dropped.csv').getByText('Stored').waitFor();
    expect(await countOf('dropped')).toBe(1);
  });

  pageIt(
    'CON-2 shows the progress of an upload, which goes on in other places; it is cancelled, and sent again',
    async () => {
      const { page, sent } = await world().openSignedIn('/files');
      const network = await page.context().newCDPSession(page);
      const limit = (uploadThroughput: number) =>
        network.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput: -1,
          uploadThroughput,
        });
      await network.send('Network.enable');
      await limit(SLOW_BYTES_PER_SECOND);
      await choose(page, textFile('slow.csv', 'a,b\n'.repeat(500_000)));
      await item(page, 'slow.csv')
        .getByText(/^[1-9]\d?% sent$/)
        .waitFor();
      await item(page, 'slow.csv').getByRole('progressbar', { name: 'Progress of slow.csv' }).waitFor();

      await page.getByRole('link', { name: 'Sessions' }).click();
      await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
      await page.getByRole('link', { name: 'Files' }).click();
      await item(page, 'slow.csv')
        .getByText(/^[1-9]\d?% sent$/)
        .waitFor();

      await item(page, 'slow.csv').getByRole('button', { name: 'Cancel: slow.csv' }).click();
      await item(page, 'slow.csv').getByText('Cancelled').waitFor();
      expect(await countOf('slow')).toBe(0);
      await limit(-1);
      await item(page, 'slow.csv').getByRole('button', { name: 'Try again: slow.csv' }).click();
      await item(page, 'slow.csv').getByText('Stored').waitFor();
      const uploads = sent.filter((request) => /^POST \S+\/admin\/storage\/files\n/.test(request));
      const keys = uploads.map((request) => /^idempotency-key: (.*)$/m.exec(request)?.[1]);
      expect(keys).toHaveLength(2);
      expect(new Set(keys).size).toBe(1);
    },
    120_000,
  );

  pageIt('CON-2 an upload whose answer was lost is stored once, however often it is sent', async () => {
    const { page, sent } = await world().openSignedIn('/files');
    const answers: [number, string][] = [];
    await page.route('**/admin/storage/files', async (route) => {
      if (route.request().method() !== 'POST' || answers.length > 0) return route.fallback();
      const form = new FormData();
      form.append('publicPreview', 'false');
      form.append('file', new File(['lost,answer'], 'lost.csv', { type: 'text/csv' }));
      const { authorization = '', 'idempotency-key': key = '' } = route.request().headers();
      const answer = await fetch(`${world().service.origin}/admin/storage/files`, {
        method: 'POST',
        headers: { authorization, 'idempotency-key': key },
        body: form,
      });
      answers.push([answer.status, await answer.text()]);
      await route.abort('connectionreset');
    });
    await choose(page, textFile('lost.csv', 'lost,answer'));
    await item(page, 'lost.csv').getByText('The service could not be reached.').waitFor();
    await item(page, 'lost.csv').getByRole('button', { name: 'Try again: lost.csv' }).click();
    await item(page, 'lost.csv').getByText('Stored').waitFor();
    expect(sent.filter((request) => /^POST \S+\/admin\/storage\/files\n/.test(request))).toHaveLength(2);
    expect(answers).toEqual([[201, expect.any(String)]]);
    expect(await countOf('lost')).toBe(1);
  });

  pageIt('CON-2 an upload that meets the end of the session is sent after the next sign-in', async () => {
    const { openSignedIn } = world();
    const { page } = await openSignedIn('/files');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await endNewestSession();
    await choose(page, textFile('later.csv'));
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    const stored = item(page, 'later.csv').getByText('Stored');
    await submitSignIn(dialog);
    await stored.waitFor();
    expect(await countOf('later')).toBe(1);
  });

  it('CON-2 a file is downloaded by a ticket, previewed if it is public, and deleted after one question', async () => {
    const { client, openSignedIn } = world();
    // Each attempt has a file of its own.
    const id = randomUUID().slice(0, 8);
    const name = `public-${id}.png`;
    await client.upload(new File([PNG], name, { type: 'image/png' }), { publicPreview: true });
    const { page, faults } = await openSignedIn(`/files?name=public-${id}`);
    const row = page.getByRole('row').filter({ hasText: name });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    expect((await readFile(await download.path())).equals(PNG)).toBe(true);
    expect(page.url()).toContain(`/console/files?name=public-${id}`);

    await row.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('dialog', { name: `Public preview of ${name}` });
    await preview.getByRole('img', { name }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('[role=dialog] img').naturalWidth")).toBe(5);
    await preview.getByText('/public/storage/preview?id=').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByText(`${name} will be deleted for everybody.`).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`${name} was deleted.`).waitFor();
    expect(await countOf(`public-${id}`)).toBe(0);
    expect(faults).toEqual([]);
  });

  pageIt(
    'CON-2 a policy is tried on a file before it is saved: every rule with its outcome and its reason',
    async () => {
      const { page, faults } = await world().openSignedIn('/files?view=policy');
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByLabel('File', { exact: true }).click(),
      ]);
      await chooser.setFiles({ name: 'tried.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no such file') });
      await expect.poll(() => page.getByLabel('Largest size (MiB)').inputValue()).toBe('10');
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('The file would be refused').waitFor();
      const header = page.getByRole('row').filter({ hasText: 'Beginning of the content' });
      await header.getByText('HEADER_MISMATCH').waitFor();
      await header.getByText('Yes').waitFor();

      await page.getByLabel('Validation', { exact: true }).selectOption('Off');
      await page.getByText('The file or the values have changed since.').waitFor();
      await page.getByText('In force: On').waitFor();
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('The file would be stored').waitFor();
      await page.getByText('It would be served as application/octet-stream.').waitFor();
      await header.getByText('No, validation is off').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await countOf('tried')).toBe(0);
      expect(faults).toEqual([]);
    },
  );
}
