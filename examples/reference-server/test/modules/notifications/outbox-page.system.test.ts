import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderOutboxPage } from '../../../src/modules/notifications/outbox.js';
import { codeFor, freshMobile } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('the page of the development outbox', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  it('APP-4 shows the sent messages, also in mode REQUIRED, and forbids caching', async () => {
    const app = await bench.app();
    const empty = await app.inject('/dev/sms-outbox/page');
    expect(empty.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(empty.body).toContain('None yet.');
    const mobile = freshMobile();
    const code = await codeFor(app, mobile);
    const { body } = await app.inject('/dev/sms-outbox/page');
    expect(body).toContain(`<td>${mobile}</td><td>${code}</td>`);
    const required = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    expect((await required.inject('/dev/sms-outbox/page')).body).toContain(code);
  });

  it('APP-4 SV-08 has no script, and its policy allows only its own style', async () => {
    const app = await bench.app();
    const { body, headers } = await app.inject('/dev/sms-outbox/page');
    expect(body).not.toMatch(/<script|\son\w+=|javascript:|\sstyle=|<(?:img|link|iframe|form)/i);
    const [, style = ''] = /<style>(.*)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toMatch(/<meta http-equiv="refresh" content="\d+">/);
  });

  it('APP-4 escapes the texts of messages', () => {
    const text = `</td><script>alert('1')</script><img src=x onerror="x">&amp;`;
    const page = renderOutboxPage([{ id: '1', mobile: '+86"', text, code: `'<b>`, sentAt: 0 }]);
    expect(page).not.toMatch(/<script|<img|<b>/);
    expect(page).toContain(
      '<td>+86&quot;</td><td>&#39;&lt;b&gt;</td><td>&lt;/td&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;' +
        '&lt;img src=x onerror=&quot;x&quot;&gt;&amp;amp;</td>',
    );
  });
});
