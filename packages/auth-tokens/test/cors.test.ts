import { Writable } from 'node:stream';
import cors from '@fastify/cors';
import { createMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import authTokens from '../src/index.js';
import { closeApps, issuer, openApp, signingKey } from './test-app.js';

afterEach(closeApps);

/** The warnings of a start, and whether a refusal has the headers of CORS. */
async function started(register: (app: FastifyInstance) => Promise<void>) {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const app = openApp({ logger: { level: 'warn', stream } });
  await register(app);
  app.get('/admin', { config: { access: 'admin' } }, async () => 'done');
  await app.ready();
  const { statusCode, headers } = await app.inject({ url: '/admin', headers: { origin: 'https://a.example' } });
  expect(statusCode).toBe(401);
  return { warnings: lines.join(''), isReadable: headers['access-control-allow-origin'] !== undefined };
}

const withCors = async (app: FastifyInstance) => void (await app.register(cors, { origin: '*' }));
const withAuth = async (app: FastifyInstance) =>
  void (await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey }));

it('ADP-2 warns of @fastify/cors after it: browsers could not read its refusals', async () => {
  const { warnings, isReadable } = await started(async (app) => {
    await withAuth(app);
    await withCors(app);
  });
  expect(isReadable).toBe(false);
  expect(warnings).toContain("dependencies: ['cors']");
});

it('ADP-2 does not warn of @fastify/cors before it, or without it', async () => {
  const both = await started(async (app) => {
    await withCors(app);
    await withAuth(app);
  });
  expect(both).toEqual({ warnings: '', isReadable: true });
  expect(await started(withAuth)).toEqual({ warnings: '', isReadable: false });
});
