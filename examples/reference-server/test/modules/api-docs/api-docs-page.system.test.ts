import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../../scripts/test-browser.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import type { ApiDocument } from '../../support/documented-api.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe.skipIf(lacks('chromium'))('the page of the API documentation', { timeout: 90_000 }, () => {
  let bench: TestBench;
  let browser: Browser;
  beforeAll(async () => {
    [bench, browser] = await Promise.all([openTestBench(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  it('API-2 OPS-2 Chromium shows every operation with its refusals, sends the example that signs in, and asks nobody else', async () => {
    const app = await bench.app({ SERVICE_API_DOCS_ENABLED: 'true' });
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const document = (await app.inject('/api-docs/json')).json<ApiDocument>();
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.operationId));

    const page = await browser.newPage();
    const complaints: string[] = [];
    const elsewhere: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/api-docs`) && !request.url().startsWith('data:')) {
        elsewhere.push(request.url());
      }
    });
    await page.goto(`${origin}/api-docs/`);
    const closed = page.locator('.opblock-tag[data-is-open="false"]');
    await closed.first().waitFor();
    while ((await closed.count()) > 0) await closed.first().click();
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id.split('-').at(-1)));
    expect(shown.sort()).toEqual([...ids].sort());

    const payment = page.locator('#operations-Payments-createPayment');
    await payment.locator('.opblock-summary-control').click();
    const refusals = payment.locator('.responses-table');
    await refusals.waitFor();
    const text = await refusals.textContent();
    for (const code of ['IDEMPOTENCY_SUBMITTED', 'VALIDATION_FAILED', 'PERMISSION_DENIED'])
      expect(text).toContain(code);
    expect(await payment.locator('.opblock-section-request-body').textContent()).toContain('Harbour Supplies');

    // The example as it stands signs in: this server has the account of the development profile.
    const signIn = page.locator('[id="operations-Administrator_sign-in-signIn"]');
    await signIn.locator('.opblock-summary-control').click();
    await signIn.locator('button.try-out__btn').click();
    await signIn.locator('button.execute').click();
    const answer = signIn.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.textContent()).toMatch(/^200.*"tokenType": "Bearer"/s);

    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([`${origin}/admin/auth/login`]);
  });
});
