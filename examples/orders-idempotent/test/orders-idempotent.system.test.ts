import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { openBrowser } from '../../../scripts/test-browser.js';
import { writeTestEmbedded } from '../../../scripts/test-embedded.js';
import { lacks } from '../../../scripts/test-needs.js';

describe('the order form', { timeout: 90_000 }, () => {
  let folder: string;
  let server: ExampleProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orders-idempotent-'));
    await writeTestEmbedded(folder);
    server = await startExample('orders-idempotent', { DATA_DIR: folder });
  });
  afterAll(async () => {
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
    return { status: response.status, location: response.headers.get('location'), body: await response.json() };
  }
  /** The ids of the orders of an item. Each test orders items of its own. */
  async function placed(item: string): Promise<number[]> {
    const { data } = (await (await fetch(`${server.origin}/orders`)).json()) as {
      data: { id: number; item: string }[];
    };
    return data.filter((each) => each.item === item).map(({ id }) => id);
  }

  it('EXM-1 ADP-11 a retry after a lost reply finds the order, also after a restart: one order, never two', async () => {
    const key = randomUUID();
    await expect(order(key, 'Tea', 'yes')).rejects.toThrow('fetch failed');
    const [id] = await placed('Tea');
    const found = { status: 409, location: `/orders/${id}`, body: { code: 'IDEMPOTENCY_SUBMITTED' } };
    expect(await order(key, 'Tea')).toMatchObject(found);

    await server.stop();
    server = await startExample('orders-idempotent', { DATA_DIR: folder });
    expect(await order(key, 'Tea')).toMatchObject(found);
    expect(await order(key, 'Coffee')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_DIGEST_MISMATCH' } });
    expect(await placed('Tea')).toEqual([id]);
    expect(await placed('Coffee')).toEqual([]);

    const { status, location } = await order(randomUUID(), 'Tea');
    expect({ status, location }).toEqual({ status: 201, location: expect.stringMatching(/^\/orders\/\d+$/) });
    const second = (await (await fetch(server.origin + location)).json()) as { data: { id: number; item: string } };
    expect(second.data.item).toBe('Tea');
    expect(await placed('Tea')).toEqual([second.data.id, id]);
    expect((await fetch(`${server.origin}/orders/${second.data.id + 1000}`)).status).toBe(404);
  });

  it('EXM-1 twenty copies in parallel place one order', async () => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 20 }, () => order(key, 'Cake')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(await placed('Cake')).toHaveLength(1);
  });

  it.skipIf(lacks('chromium'))(
    'EXM-1 the form in a browser loses the reply, retries with the same key, and shows one order',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const faults: Error[] = [];
        page.on('pageerror', (fault) => faults.push(fault));
        await page.goto(server.origin);
        const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
        /** Waits until the page lists as many as the server has. */
        async function expectOrders(count: number): Promise<void> {
          expect(await placed('Milk')).toHaveLength(count);
          await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Milk' }).count()).toBe(count);
        }
        const press = () => page.getByRole('button', { name: 'Order' }).click();

        await page.getByLabel('Item').fill('Milk');
        await press();
        await status('No reply');
        await expectOrders(1);
        await page.getByLabel('lose the reply').uncheck();
        await press();
        await status(/^409: order \d+ is placed, Milk\.$/);
        await expectOrders(1);
        // The next press is a new order, since the page has forgotten the key.
        await press();
        await status(/^201: order \d+ is placed, Milk\.$/);
        await expectOrders(2);
        expect(faults).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
