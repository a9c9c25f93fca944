import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { auditLog, createMemorySink } from '../../packages/audit-log/src/index.js';
import { authTokens, generateSigningKey } from '../../packages/auth-tokens/src/index.js';
import { createMemoryStore } from '../../packages/ttl-store/src/index.js';

const isForeign = (url: string) => url.startsWith('/documentation') || url.startsWith('/public');

interface Decisions {
  readonly decide?: (route: { methods: readonly string[]; url: string }) => unknown;
  readonly decideAudit?: (route: { methods: readonly string[]; url: string }) => unknown;
}

/** An application with routes of @fastify/swagger-ui and @fastify/static beside one of its own. */
async function open({ decide, decideAudit }: Decisions): Promise<{ app: FastifyInstance; records: () => number }> {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-static-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'logo.txt'), 'logo');
  const app = Fastify();
  onTestFinished(() => app.close());
  const sink = createMemorySink();
  await app.register(auditLog, { sink, ...(decideAudit && { decide: decideAudit as () => false }) });
  await app.register(authTokens, {
    store: createMemoryStore(),
    issuer: 'https://test.example',
    signingKey: generateSigningKey(),
    ...(decide && { decide: decide as () => 'public' }),
  });
  await app.register(swagger);
  await app.register(swaggerUi, { routePrefix: '/documentation' });
  await app.register(fastifyStatic, { root, prefix: '/public/' });
  app.get('/own', { config: { access: 'admin', audit: 'own' } }, async () => 'own');
  return { app, records: () => sink.records().length };
}

test('ADP-3 swagger-ui and static files are decided by the option decide, and their files are served', async () => {
  const asked: string[] = [];
  const { app, records } = await open({
    decide({ methods, url }) {
      asked.push(`${methods.join(',')} ${url}`);
      return isForeign(url) ? 'public' : undefined;
    },
    decideAudit: ({ url }) => (isForeign(url) ? false : undefined),
  });
  await app.ready();
  for (const url of ['/documentation/', '/documentation/json', '/public/logo.txt']) {
    expect([url, (await app.inject(url)).statusCode]).toEqual([url, 200]);
    expect([url, (await app.inject({ method: 'HEAD', url })).statusCode]).toEqual([url, 200]);
  }
  expect(records()).toBe(0);
  expect((await app.inject('/own')).statusCode).toBe(401);
  expect(asked).toContain('GET /documentation/json');
  expect(asked.filter((route) => route.endsWith('/own'))).toEqual([]);
});

test('ADP-3 a decision may ask for a sign-in, for a permission and for records', async () => {
  const { app, records } = await open({
    decide: ({ url }) => (url.startsWith('/public') ? 'public' : isForeign(url) ? ['admin'] : undefined),
    decideAudit: ({ url }) => (isForeign(url) ? 'file' : undefined),
  });
  await app.ready();
  expect((await app.inject('/documentation/json')).statusCode).toBe(401);
  expect((await app.inject('/public/logo.txt')).payload).toBe('logo');
  expect(records()).toBe(2);

  const { app: faulty } = await open({
    decide: ({ url }) => (isForeign(url) ? { access: 'admin', permission: 'api:docs', permision: 1 } : undefined),
    decideAudit: () => false,
  });
  const refusal = String(await Promise.resolve(faulty.ready()).catch((error: unknown) => error));
  expect(refusal).toContain("config.permission 'api:docs' is not declared in the option permissions");
  expect(refusal).toContain('permision is not an option; did you mean the result of decide: permission?');
});

test('ADP-3 a decision that is promised is refused: its permission would be lost', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(authTokens, {
    store: createMemoryStore(),
    issuer: 'https://test.example',
    signingKey: generateSigningKey(),
    audiences: { user: { idleSeconds: 60, absoluteSeconds: 3600 } },
    permissions: ['api:docs'],
    loadPermissions: async () => [],
    decide: (async () => ({ access: 'user', permission: 'api:docs' })) as unknown as () => 'public',
  });
  app.get('/docs', async () => 'docs');
  await expect(Promise.resolve(app.ready())).rejects.toThrow(
    'GET /docs: the option decide returns a promise; it must return its decision at once',
  );
});

test('ADP-3 without a decision the start is refused, and the message names the option', async () => {
  const { app } = await open({});
  await expect(Promise.resolve(app.ready())).rejects.toThrow(
    /GET \/public\/\*: config\.audit is missing.*option decide/s,
  );
  const { app: audited } = await open({ decideAudit: () => false });
  await expect(Promise.resolve(audited.ready())).rejects.toThrow(
    /GET \/documentation\/json, .*config\.access is missing.*option decide/s,
  );
});
