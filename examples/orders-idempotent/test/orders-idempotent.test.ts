import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { chromiumProgram, openBrowser } from '../../../scripts/test-browser.js';

describe('the order form', { timeout: 90_000 }, () => {
  let folder: string;
  let server: ExampleProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orders-idempotent-'));
    server = await startExample('orders-idempotent', { DATA_DIR: folder });
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function order(key: string, item: string, loseReply = 'no') {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-lose-reply': loseReply };
    const response = await fetch(`${server.origin}/orders`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ item }),
    });
    return { status: response.status, body: await response.json() };
  }
  async function listed() {
    const { data } = (await (await fetch(`${server.origin}/orders`)).json()) as { data: unknown };
    return data;
  }

  it('EXM-1 IDM-7 a retry after a lost reply finds the order, also after a restart: one order, never two', async () => {
    const key = randomUUID();
    await expect(order(key, 'Tea', 'yes')).rejects.toThrow('fetch failed');
    expect(await listed()).toEqual([{ id: 1, item: 'Tea' }]);
    expect(await order(key, 'Tea')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_SUBMITTED' } });

    await server.stop();
    server = await startExample('orders-idempotent', { DATA_DIR: folder });
    expect(await order(key, 'Tea')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_SUBMITTED' } });
    expect(await order(key, 'Coffee')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_DIGEST_MISMATCH' } });
    expect(await listed()).toEqual([{ id: 1, item: 'Tea' }]);

    expect(await order(randomUUID(), 'Tea')).toMatchObject({ status: 201, body: { data: { id: 2 } } });
  });

  it('EXM-1 twenty copies in parallel place one order', async () => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 20 }, () => order(key, 'Tea')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(await listed()).toHaveLength(1);
  });

  it.skipIf(chromiumProgram === null)(
    'EXM-1 the form in a browser loses the reply, retries with the same key, and shows one order',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const faults: Error[] = [];
        page.on('pageerror', (fault) => faults.push(fault));
        await page.goto(server.origin);
        const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
        const items = () => page.getByRole('listitem').allTextContents();
        const press = () => page.getByRole('button', { name: 'Order' }).click();

        await press();
        await status('No reply');
        expect(await items()).toEqual(['Tea']);
        await page.getByLabel('lose the reply').uncheck();
        await press();
        await status('IDEMPOTENCY_SUBMITTED');
        expect(await items()).toEqual(['Tea']);
        // The next press is a new order, since the page has forgotten the key.
        await press();
        await status('Order 2 was placed.');
        expect(await items()).toEqual(['Tea', 'Tea']);
        expect(faults).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
