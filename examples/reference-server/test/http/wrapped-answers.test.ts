import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { transform } from 'esbuild';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { bearer, openTestBench, type TestBench } from '../support/test-app.js';

// The hook of the README, read from there, so that what people copy is what is tested.

async function hookOfTheReadme(): Promise<(app: FastifyInstance) => void> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, source] = /```ts wrap-answers\.ts\n([\s\S]*?)```/.exec(readme)!;
  const { code } = await transform(source!, { loader: 'ts' });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).wrapAnswers;
}

describe('answers as { code, message, data }', () => {
  let bench: TestBench;
  let app: App;
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    app = createApp(config);
    (await hookOfTheReadme())(app as unknown as FastifyInstance);
    await bench.compose(app, config);
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  it('HTTP-1 wraps one item, a list, and nothing that has no JSON', async () => {
    const headers = await bearer(app);
    const profile = await app.inject({ url: '/admin/profile', headers });
    expect(profile.json()).toMatchObject({ code: 0, message: 'ok', data: { username: expect.any(String) } });
    const roles = await app.inject({ url: '/admin/roles', headers });
    expect(roles.json()).toMatchObject({
      code: 0,
      data: { items: [{ name: expect.any(String) }], number: 1, size: 20, total: 1 },
    });
    const loggedOut = await app.inject({ method: 'POST', url: '/auth/logout', headers });
    expect([loggedOut.statusCode, loggedOut.body]).toEqual([204, '']);
  });

  it('HTTP-1 leaves answers alone that have no data', async () => {
    expect((await app.inject('/actuator/health/liveness')).json()).toEqual({ status: 'UP' });
    const foreign = Fastify();
    (await hookOfTheReadme())(foreign as unknown as FastifyInstance);
    const answers = [null, [1], 'text', { id: 1 }, { data: null }];
    for (const [index, answer] of answers.entries()) {
      foreign.get(`/${index}`, (_request, reply) => reply.type('application/json').send(JSON.stringify(answer)));
    }
    const received = await Promise.all(answers.map(async (_, index) => (await foreign.inject(`/${index}`)).json()));
    expect(received).toEqual([...answers.slice(0, 4), { code: 0, message: 'ok', data: null }]);
  });

  it('HTTP-2 wraps refusals, and keeps their status and members', async () => {
    const refused = await app.inject({ url: '/admin/profile' });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['content-type']).toMatch(/^application\/json/);
    expect(refused.json()).toMatchObject({ code: 'TOKEN_MISSING', message: expect.any(String), data: null });
    const invalid = await app.inject({ method: 'POST', url: '/admin/auth/login', payload: { username: 1 } });
    expect(invalid.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: expect.any(Array) });
  });

  it('ENV-2 ENV-4 is sealed with its wrapper, and the client still corrects its clock and finds another key', async () => {
    const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const seen: (string | null)[] = [];
    const recording = (async (url: string, init?: RequestInit) => {
      const answer = await fetch(url, init);
      seen.push(answer.headers.get('api-encryption'));
      return answer;
    }) as typeof fetch;
    const client = createEnvelopeClient({
      baseUrl,
      requireEncryption: true,
      fetch: recording,
      now: () => Date.now() - 3_600_000,
    });
    const { authorization } = await bearer(app);
    const answer = await client.fetch('/admin/profile', { headers: { authorization: authorization! } });
    expect(await answer.json()).toMatchObject({ code: 0, message: 'ok', data: { username: expect.any(String) } });
    const refused = await client.fetch('/admin/profile');
    expect(await refused.json()).toMatchObject({ code: 'TOKEN_MISSING', data: null });
    expect(seen).toContain('v1');
  });
});
