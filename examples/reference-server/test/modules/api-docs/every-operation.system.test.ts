import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEveryOperation } from '../../../../api-client/test/every-operation.js';
import type { App } from '../../../src/app.js';
import { type ApiDocument, documentedApi } from '../../support/documented-api.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** The calls of the typed program that the server refuses: it lacks a captcha, code, session or the old password. */
const REFUSED: Readonly<Record<string, number>> = {
  'POST /admin/auth/register': 403,
  'PUT /app/profile/password': 400,
  'POST /app/auth/recoverPassword': 400,
  'PUT /admin/profile/password': 400,
  'DELETE /app/sessions/:id': 404,
  // The second factor is switched off.
  'POST /auth/second-factor/options': 409,
  'POST /auth/second-factors/totp': 409,
  'POST /auth/second-factors/totp/:id/confirm': 409,
  'POST /auth/second-factors/passkeys/options': 409,
  'POST /auth/second-factors/passkeys': 409,
  'POST /auth/second-factors/recovery-codes': 409,
  'DELETE /auth/second-factors/:id': 409,
};

describe('the client that is generated from the OpenAPI document', () => {
  let bench: TestBench;
  let app: App;
  let api: ReturnType<typeof documentedApi>;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({ SERVICE_API_DOCS_ENABLED: 'true' });
    api = documentedApi((await app.inject('/api-docs/json')).json<ApiDocument>());
  });
  afterAll(() => bench.close());

  /** Calls every operation of a server, and checks that the document says what it answers. */
  async function callAll(server: App, mobile: string, refused = REFUSED): Promise<void> {
    const calls = await callEveryOperation(await server.listen({ port: 0, host: '127.0.0.1' }), mobile);
    const made = calls.map(({ path, ...call }) => ({ ...call, url: path.replaceAll(/\{(\w+)\}/g, ':$1') }));
    const called = new Set(made.map(({ method, url }) => `${method} ${url}`));
    expect([...called].sort()).toEqual(api.operations.map(({ method, url }) => `${method} ${url}`).sort());
    for (const { method, url, status, headers, body } of made) {
      const isSuccess = status >= 200 && status < 300;
      expect([method, url, isSuccess || status]).toEqual([method, url, refused[`${method} ${url}`] ?? true]);
      const answer = { statusCode: status, headers: Object.fromEntries(headers), body };
      expect([method, url, api.disagreement(method, url, answer)]).toEqual([method, url, null]);
    }
  }

  it('API-3 the client calls every operation in the clear, and gets the documented answers', async () => {
    // The time is for envelopes alone.
    await callAll(app, '+8613800138000', { ...REFUSED, 'POST /encryption/time': 400 });
  });

  it('API-3 ENV-4 the client calls every operation of a server that requires envelopes, with the same answers', async () => {
    const server = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_API_DOCS_ENABLED: 'true',
    });
    // Page and document are in the clear, and describe the plaintext in every mode.
    expect((await server.inject('/api-docs/json')).json()).toEqual(api.document);
    await callAll(server, '+8613800138001');
  });
});
