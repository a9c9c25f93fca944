import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ConsoleWorld, Tab } from '../support/console-world.js';
import { overflowOf, violationsOf } from '../support/page-checks.js';
import type { PageIt } from '../support/page-tests.js';
import { writeScreenshot } from '../support/screenshots.js';

const PAYEE = 'Harbour Supplies of the laboratory';

/** The state of a stage, as the page marks it. */
async function stateOf(page: Page, stage: string): Promise<string | null> {
  return page.locator(`[data-stage="${stage}"]`).getAttribute('data-state');
}

/** Presses a button of the experiments, and waits for its entry in the log. */
async function run({ page }: Tab, name: string): Promise<void> {
  const entries = page.getByRole('list', { name: 'Log' }).getByRole('listitem');
  const before = await entries.count();
  await page.getByRole('button', { name, exact: true }).click();
  await entries.nth(before).waitFor();
  expect(await entries.count()).toBe(before + 1);
}

function verdictOf(page: Page): Locator {
  return page.getByRole('region', { name: 'What the service decides' }).getByRole('status');
}

async function choose(page: Page, request: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Request' }).getByText(request, { exact: true }).click();
}

export function describeLaboratory(world: () => ConsoleWorld, pageIt: PageIt): void {
  const isSealing = () => world().mode !== 'OFF';

  async function openLaboratory(request: string): Promise<Tab> {
    const tab = await world().openSignedIn('/laboratory');
    tab.sent.splice(0);
    await choose(tab.page, request);
    if (request !== 'Read my profile') await tab.page.getByLabel('Payee', { exact: true }).fill(PAYEE);
    return tab;
  }

  /** How many payments of the payee there are. */
  async function countPayments(payee: string): Promise<number | undefined> {
    const { data } = await world().client.api.GET('/admin/payments', { params: { query: { payee } } });
    return data?.page.total;
  }

  it('CON-3 sends a payment: every stage that applies lights up, and the payee leaves the page only in an envelope', async () => {
    const tab = await openLaboratory('Make a payment');
    const { page, sent } = tab;
    expect(await stateOf(page, 'token')).toBe('waiting');
    await run(tab, 'Send');
    await verdictOf(page).getByText('the payment is recorded').waitFor();
    for (const stage of [
      'arrival',
      'token',
      'permission',
      'rateLimit',
      'bodyOpening',
      'content',
      'idempotency',
      'handler',
    ]) {
      expect(await stateOf(page, stage), stage).toBe('passed');
    }
    for (const stage of ['policy', 'replay', 'sealing']) {
      expect(await stateOf(page, stage), stage).toBe(isSealing() ? 'passed' : 'skipped');
    }
    expect(await stateOf(page, 'queryOpening')).toBe('skipped');
    const payments = sent.filter((request) => request.startsWith('POST') && request.includes('/admin/payments'));
    expect(payments).toHaveLength(1);
    expect(payments[0]?.includes(PAYEE)).toBe(!isSealing());
    await page.getByRole('region', { name: 'Answer' }).getByText(PAYEE).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('CON-3 retries with the same key, and changes the content under it: idempotency ends both, and one payment exists', async () => {
    const tab = await openLaboratory('Make a payment');
    const { page } = tab;
    const payee = `${PAYEE}, retried in mode ${world().mode}`;
    await page.getByLabel('Payee', { exact: true }).fill(payee);
    await run(tab, 'Send');
    await run(tab, 'Retry with the same key');
    await verdictOf(page).getByText('409 IDEMPOTENCY_SUBMITTED').waitFor();
    await verdictOf(page).getByText('The payment exists exactly once.').waitFor();
    expect([await stateOf(page, 'idempotency'), await stateOf(page, 'handler')]).toEqual(['refused', 'unreached']);
    await run(tab, 'Change the content under the same key');
    await verdictOf(page).getByText('422 IDEMPOTENCY_DIGEST_MISMATCH').waitFor();
    await page
      .getByRole('group', { name: isSealing() ? 'In the page, before sealing' : /on the wire/ })
      .getByText('13.50')
      .waitFor();
    expect(await countPayments(payee)).toBe(1);

    // The retry and the first request: the same key and body; and, where there is one, another envelope.
    await page.getByRole('button', { name: 'Open no. 2' }).click();
    await page.getByRole('button', { name: 'Compare no. 1 with the one shown' }).click();
    const comparison = page.getByRole('region', { name: 'No. 2 and no. 1' });
    await comparison.locator('[data-compared="Idempotency key"]').getByText('same', { exact: true }).waitFor();
    await comparison.locator('[data-compared="Body"]').getByText('same', { exact: true }).waitFor();
    await comparison.locator('[data-compared="Answer"]').getByText('different', { exact: true }).waitFor();
    expect(await comparison.locator('[data-compared="nonce"]').count()).toBe(isSealing() ? 1 : 0);
    if (isSealing())
      await comparison.locator('[data-compared="nonce"]').getByText('different', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  pageIt('CON-3 drops the token: the second stage refuses, the page says why, and its own session stays', async () => {
    const tab = await openLaboratory('Find payments');
    await run(tab, 'Drop the token');
    await verdictOf(tab.page).getByText('401 TOKEN_MISSING').waitFor();
    await verdictOf(tab.page).getByText('Nobody is signed in on it').waitFor();
    expect([await stateOf(tab.page, 'token'), await stateOf(tab.page, 'permission')]).toEqual(['refused', 'unreached']);
    await run(tab, 'Send');
    await verdictOf(tab.page).getByText('The handler read the data.').waitFor();
  });

  it('CON-3 sends ten copies at once: one payment is made, and the others are told why not', async () => {
    const tab = await openLaboratory('Make a payment');
    const { page } = tab;
    const payee = `${PAYEE}, ten copies in mode ${world().mode}`;
    await page.getByLabel('Payee', { exact: true }).fill(payee);
    if (isSealing()) {
      await run(tab, 'Ten copies at once');
      await verdictOf(page).getByText('1 of 10 executed').waitFor();
      await verdictOf(page).getByText('9 × Refused at: Replay guard').waitFor();
      await page.locator('[data-stage="replay"]').getByText('9 ended here').waitFor();
    }
    await page.getByLabel('Copies of').selectOption('One idempotency key');
    await run(tab, 'Ten copies at once');
    await verdictOf(page).getByText('1 of 10 executed').waitFor();
    await page.locator('[data-stage="idempotency"]').getByText('9 ended here').waitFor();
    expect(await countPayments(payee)).toBe(isSealing() ? 2 : 1);
  });

  pageIt('CON-3 refuses content that breaks the schema, and keeps what was typed', async () => {
    const tab = await openLaboratory('Make a payment');
    await tab.page.getByLabel('Amount').fill('much');
    await run(tab, 'Send');
    await verdictOf(tab.page).getByText('400 VALIDATION_FAILED').waitFor();
    expect([await stateOf(tab.page, 'content'), await stateOf(tab.page, 'idempotency')]).toEqual([
      'refused',
      'unreached',
    ]);
    expect(await tab.page.getByLabel('Amount').inputValue()).toBe('much');
  });

  it('CON-3 the profile and the payments are read by keyboard alone, and the envelope explains itself to the focus', async () => {
    const tab = await openLaboratory('Read my profile');
    const { page } = tab;
    await page.getByRole('button', { name: 'Send', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Answer' }).getByText('"username": "admin"').waitFor();
    expect(await stateOf(page, 'idempotency')).toBe('skipped');
    if (!isSealing()) return;
    expect([await stateOf(page, 'queryOpening'), await stateOf(page, 'bodyOpening')]).toEqual(['passed', 'skipped']);
    await page.getByRole('button', { name: 'kid Key id' }).first().focus();
    await page.getByText('Names the public key of the service').waitFor();
    await page.keyboard.press('Tab');
    await page.getByText('When it was sealed').waitFor();
    await page.getByRole('button', { name: 'nonce Nonce' }).first().hover();
    await page.getByText('16 random bytes, new for each envelope.').waitFor();
    await page.getByRole('button', { name: 'authorization Digest of the token' }).hover();
    await page.getByText('SM3 of the bearer token').waitFor();
  });

  it('CON-3 an envelope: replayed, damaged, out of time, each is refused at its stage; in mode OFF the page says why not', async () => {
    const tab = await openLaboratory('Make a payment');
    const { page } = tab;
    if (!isSealing()) {
      await page.getByText('This service takes requests in the clear').waitFor();
      for (const name of ['Send the same envelope again', 'Flip a byte', 'Move the clock']) {
        const button = page.getByRole('button', { name, exact: true });
        expect(await button.isDisabled(), name).toBe(true);
        const reason = await button.getAttribute('aria-describedby');
        expect(await page.locator(`[id="${reason}"]`).textContent()).toContain('mode is OFF');
      }
      expect(await violationsOf(page)).toEqual([]);
      return;
    }
    await run(tab, 'Send');
    await run(tab, 'Send the same envelope again');
    await verdictOf(page).getByText('so the replay guard refused it before any handler ran').waitFor();
    expect([await stateOf(page, 'replay'), await stateOf(page, 'content')]).toEqual(['refused', 'unreached']);
    await page.evaluate('scrollTo(0, 0)');
    await writeScreenshot(page, 'laboratory-replay', 'laboratory');
    const bodies = tab.sent.filter((request) => request.startsWith('POST') && request.includes('/admin/payments'));
    expect(bodies[1]?.split('\n').at(-1)).toBe(bodies[0]?.split('\n').at(-1));

    for (const part of ['ct: ciphertext', 'tag', 'ek: wrapped key']) {
      await page.getByLabel('Flip in').selectOption(part);
      await run(tab, 'Flip a byte');
      await verdictOf(page).getByText('400 ENVELOPE_REJECTED').waitFor();
      expect([await stateOf(page, 'bodyOpening'), await stateOf(page, 'replay')], part).toEqual([
        'refused',
        'unreached',
      ]);
    }
    // A damaged envelope uses up neither nonce nor key: the retry is the first to run.
    await run(tab, 'Retry with the same key');
    await verdictOf(page).getByText('the payment is recorded').waitFor();

    // A sign alone is no number yet: the clock does not stay where it is either.
    await page.getByLabel('Minutes').fill('-');
    await page.getByText('Type a whole number of minutes').waitFor();
    expect(await page.getByRole('button', { name: 'Move the clock', exact: true }).isDisabled()).toBe(true);
    for (const minutes of ['10', '-10']) {
      await page.getByLabel('Minutes').fill(minutes);
      await run(tab, 'Move the clock');
      await verdictOf(page).getByText('outside the accepted window').waitFor();
      expect([await stateOf(page, 'bodyOpening'), await stateOf(page, 'replay')]).toEqual(['refused', 'unreached']);
    }
    await choose(page, 'Find payments');
    await run(tab, 'Flip a byte');
    expect([await stateOf(page, 'queryOpening'), await stateOf(page, 'policy')]).toEqual(['refused', 'unreached']);
    expect(await violationsOf(page)).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  pageIt('CON-3 a lost connection and an ended session: the page says so, and keeps log and content', async () => {
    const tab = await openLaboratory('Make a payment');
    const { page } = tab;
    await page.route('**/admin/payments', (route) => route.abort());
    await run(tab, 'Send');
    await verdictOf(page).getByText('No answer arrived.').waitFor();
    await page.unroute('**/admin/payments');
    await run(tab, 'Retry with the same key');
    await verdictOf(page).getByText('the payment is recorded').waitFor();

    const { data } = await world().client.api.GET('/admin/sessions', { params: { query: { scope: 'all' } } });
    const others = data?.data.filter(({ current }) => !current) ?? [];
    const session = others.toSorted((one, other) => other.lastSeenAt - one.lastSeenAt)[0];
    if (session === undefined) throw new Error('the session of the page is not listed');
    await world().client.api.DELETE('/admin/sessions/{id}', { params: { path: { id: session.id } } });
    await run(tab, 'Send');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill('sallyport-dev');
    // A busy machine answers that too many passwords are being checked: try again.
    await expect
      .poll(
        async () => {
          const button = dialog.getByRole('button', { name: 'Sign in', exact: true });
          if (await button.isVisible()) await button.click({ timeout: 1000 }).catch(() => {});
          return dialog.isVisible();
        },
        { timeout: 60_000, interval: 3000 },
      )
      .toBe(false);
    expect(await page.getByLabel('Payee', { exact: true }).inputValue()).toBe(PAYEE);
    await run(tab, 'Send');
    await verdictOf(page).getByText('the payment is recorded').waitFor();
  });

  it('CON-3 at 360 px in Chinese nothing is wider than the window, with an answer and a comparison shown', async () => {
    const tab = await world().openSignedIn('/laboratory', {
      locale: 'zh-CN',
      colorScheme: 'dark',
      viewport: { width: 360, height: 740 },
    });
    const { page } = tab;
    await page.getByRole('radiogroup', { name: '请求' }).getByText('新建付款', { exact: true }).click();
    for (const name of ['发送', '同时发送十份']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText(name === '发送' ? '付款已记录' : '10 份中执行了 1 份').waitFor();
    }
    await page.getByRole('button', { name: '将第 1 条与当前显示的比较' }).click();
    await page.getByRole('region', { name: '第 2 条与第 1 条' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
}
