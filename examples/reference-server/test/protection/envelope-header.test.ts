import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { type Sealable, type SealedInject, sealed } from '../support/sealed-request.js';
import { credentials, openTestBench, type TestBench } from '../support/test-app.js';

describe('the header Api-Encryption of an answer to a sealed request', () => {
  let bench: TestBench;
  let app: App;
  let headers: Record<string, string>;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    const { opened } = await ask({ method: 'POST', url: '/admin/auth/login', payload: credentials });
    headers = { authorization: `Bearer ${(opened as { data: { token: string } }).data.token}` };
  });
  afterAll(() => bench.close());

  /** A client that goes by the header alone, as one that was written from the interface document. */
  async function receive(request: SealedInject, answer: LightMyRequestResponse) {
    const header = answer.headers['api-encryption'];
    const opened = header === undefined ? null : request.open(answer);
    return { status: answer.statusCode, header, opened, answer };
  }
  async function ask(request: Sealable) {
    const question = sealed(app, request);
    return receive(question, await app.inject(question.options));
  }

  it('EC-41 is v1 on JSON once the envelope was accepted, and the body opens', async () => {
    const asked: [Sealable, number][] = [
      [{ url: '/admin/profile', headers }, 200],
      [{ method: 'PUT', url: '/admin/profile', headers, payload: { displayName: '' } }, 400],
      [{ url: '/admin/nowhere', headers }, 404],
      [{ method: 'POST', url: '/encryption/time' }, 200],
    ];
    for (const [request, status] of asked) {
      const { opened, ...answer } = await ask(request);
      expect(answer).toMatchObject({ status, header: 'v1' });
      expect(opened).not.toBeNull();
    }
  });

  it('EC-41 is not on a refusal before that, whose code a client reads in the clear', async () => {
    const withoutToken = await ask({ url: '/admin/profile' });
    const question = sealed(app, { url: '/admin/profile', headers });
    const forged = String(question.options.url).replace('__enc=', '__enc=AAAA');
    const malformed = await receive(question, await app.inject({ ...question.options, url: forged }));
    const late = await ask({ url: '/admin/profile', headers, aheadMillis: -3_600_000 });
    await app.inject(question.options);
    const replayed = await receive(question, await app.inject(question.options));
    for (const [{ status, header, answer }, expected, code] of [
      [withoutToken, 401, 'TOKEN_MISSING'],
      [malformed, 400, 'ENVELOPE_MALFORMED'],
      [late, 400, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
      [replayed, 400, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
    ] as const) {
      expect([status, header, answer.json().code]).toEqual([expected, undefined, code]);
    }
  });

  it('EC-42 is not on a 204, which has nothing to open', async () => {
    const { status, header, answer } = await ask({ method: 'POST', url: '/auth/logout', headers });
    expect([status, header, answer.body]).toEqual([204, undefined, '']);
  });
});
