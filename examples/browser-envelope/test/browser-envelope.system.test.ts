import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { openBrowser } from '../../../scripts/test-browser.js';
import { lacks } from '../../../scripts/test-needs.js';

const SECRET = 'Meet me at the bridge';

describe('the page with envelopes', { timeout: 90_000 }, () => {
  let server: ExampleProcess;
  beforeAll(async () => {
    server = await startExample('browser-envelope');
  });
  afterAll(() => server.stop());

  const message = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"hello"}' };

  it('EXM-1 ENV-1 refuses a message without an envelope, and opens one in an envelope', async () => {
    const plain = await fetch(`${server.origin}/messages`, message);
    expect({ status: plain.status, body: await plain.json() }).toMatchObject({
      status: 400,
      body: { code: 'ENVELOPE_REQUIRED' },
    });
    const sealed = await createEnvelopeClient({ baseUrl: server.origin }).fetch('/messages?from=ada', message);
    expect(await sealed.json()).toEqual({
      data: { method: 'POST', path: '/messages', query: { from: 'ada' }, body: { text: 'hello' } },
    });
  });

  it('EXM-1 serves the page and its files under a policy without inline scripts and without eval', async () => {
    for (const path of ['/', '/page.js', '/page.css']) {
      const { headers, status } = await fetch(server.origin + path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(status).toBe(200);
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).not.toMatch(/'unsafe-|\*|data:|https?:/);
    }
  });

  it.skipIf(lacks('chromium'))(
    'EXM-1 ENV-8 Chromium under that policy sends a sealed message, and the text is nowhere on the wire',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const faults: string[] = [];
        const wire: (string | Promise<string>)[] = [];
        page.on('pageerror', (fault) => faults.push(String(fault)));
        page.on('console', (line) => faults.push(line.text()));
        await page.goto(server.origin);
        // From here on, not the page's own files.
        page.on('request', (request) => wire.push(`${request.url()}\n${request.postData() ?? ''}`));
        page.on('response', (response) => wire.push(response.text()));

        await page.getByLabel('Message').fill(SECRET);
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByRole('status').filter({ hasText: 'sealed and opened by: kernel' }).waitFor();
        expect(JSON.parse((await page.locator('#seen').textContent()) ?? '')).toEqual({
          data: { method: 'POST', path: '/messages', query: { from: 'ada' }, body: { text: SECRET } },
        });

        // What the page shows as the wire is what Chromium sent and received.
        const shown = (await page.locator('#wire').textContent()) ?? '';
        const [sent, received] = [/^POST \/messages\n(.+)$/m, /^200\n(.+)\n\n$/m].map((part) => part.exec(shown)?.[1]);
        const all = (await Promise.all(wire)).join('\n');
        expect(sent?.length).toBeGreaterThan(200);
        expect(received?.length).toBeGreaterThan(50);
        expect(all).toContain(sent);
        expect(all).toContain(received);
        for (const secret of [SECRET, Buffer.from(SECRET).toString('base64url').slice(0, -2), 'from=ada']) {
          expect(all + shown).not.toContain(secret);
        }
        expect(faults).toEqual([]);

        // The policy is in force: the page can't turn a text into code.
        await page.evaluate(
          "addEventListener('securitypolicyviolation', (e) => { window.blocked = e.effectiveDirective })",
        );
        await page
          .evaluate("document.head.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))")
          .catch(() => {});
        const blocked = await page.waitForFunction('window.blocked');
        expect(await blocked.jsonValue()).toMatch(/^(?:script-src|require-trusted-types-for)/);
        expect(await page.evaluate('window.ran')).toBeUndefined();
      } finally {
        await browser.close();
      }
    },
  );
});
