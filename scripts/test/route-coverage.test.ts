import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autoload from '@fastify/autoload';
import type { FastifyInstance, FastifyPluginAsync, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openApp, type Protection, protections } from '../route-protections.ts';

/** Files for @fastify/autoload, which imports them natively: they find what they register here. */
const held: Record<string, unknown> = { fp };
Reflect.set(globalThis, Symbol.for('route-coverage.test'), held);

const HEAD = `const { plugin, options, fp } = globalThis[Symbol.for('route-coverage.test')];`;
const FILES = {
  plain: `${HEAD} export default async function auth(app) { await app.register(plugin, options); }`,
  wrapped: `${HEAD} export default fp(async (app) => { await app.register(plugin, options); });`,
  autoConfig: `${HEAD} export default plugin; export const autoConfig = options;`,
};

/** Loads one plugin file, as an application does that keeps its plugins in a folder. */
async function autoloaded(app: FastifyInstance, file: string, { plugin, options }: Protection): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-autoload-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  Object.assign(held, { plugin, options: options() });
  writeFileSync(join(dir, 'protection.mjs'), file);
  await app.register(autoload, { dir });
}

describe.each(protections)('$name', (protection) => {
  const { plugin, options, config, silent, isProtected } = protection;
  const declared = { config: config as object };
  const answer = async () => ({ done: true });
  const register = (app: FastifyInstance, more: object = {}) =>
    app.register(plugin as FastifyPluginAsync<object>, { ...options(), ...more });
  const readyError = async (app: FastifyInstance) => {
    const error: unknown = await app.ready().then(
      () => null,
      (refusal: unknown) => refusal,
    );
    return String((error as Error | null)?.message);
  };

  test('ADP-2 a file of @fastify/autoload that fastify-plugin does not wrap is refused', async () => {
    const app = await openApp(protection);
    await expect(autoloaded(app, FILES.plain, protection)).rejects.toThrow(/fastify-plugin/);
  });

  test.each(['wrapped', 'autoConfig'] as const)('ADP-2 a file of @fastify/autoload protects: %s', async (kind) => {
    const app = await openApp(protection);
    await autoloaded(app, FILES[kind], protection);
    await protection.after?.(app);
    app.register(async (scope) => void scope.post('/sibling', declared, answer), { prefix: '/api' });
    await app.ready();
    expect(await isProtected(app, 'POST', '/api/sibling')).toBe(true);
  });

  test('ADP-2 every kind of route that follows is protected', async () => {
    const app = await openApp(protection);
    await register(app);
    await protection.after?.(app);
    app.post('/plain', declared, answer);
    app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/many', ...declared, handler: answer });
    app.register(
      async (outer) => {
        outer.post('/', declared, answer);
        outer.register(async (inner) => void inner.post('/:id/deep', declared, answer), { prefix: '/inner' });
      },
      { prefix: '/outer' },
    );
    if (protection.reads) app.get('/read', declared, answer);
    await app.ready();
    for (const [method, url] of [
      ['POST', '/plain'],
      ['PUT', '/many'],
      ['PATCH', '/many'],
      ['DELETE', '/many'],
      ['POST', '/outer'],
      ['POST', '/outer/'],
      ['POST', '/outer/inner/7/deep'],
      ...(protection.reads
        ? [
            ['GET', '/read'],
            ['HEAD', '/read'],
          ]
        : []),
    ] as const) {
      expect([method, url, await isProtected(app, method as 'GET', url as string)]).toEqual([method, url, true]);
    }
  });

  test('ADP-2 a route that is older than the plugin stops the start', async () => {
    const app = await openApp(protection);
    app.options('*', answer);
    const older = protection.isOptIn === true ? declared : { config: silent };
    await app.register(async (scope) => void scope.post('/health', older, answer), { prefix: '/v1' });
    await expect((async () => register(app))()).rejects.toThrow(
      /register it before every route( that asks for it)?; registered earlier: POST \/v1\/health\./,
    );
  });

  test('ADP-4 without await, followed by a route, it is refused and says what to write', async () => {
    const app = await openApp(protection);
    register(app);
    app.post('/late', declared, answer);
    expect(await readyError(app)).toMatch(/registered earlier: POST \/late\. .*`await app\.register/s);
  });

  test('ADP-4 without await, followed by routes in a plugin, it protects', async () => {
    const app = await openApp(protection);
    register(app);
    app.register(async (scope) => {
      await protection.after?.(scope);
      scope.post('/late', declared, answer);
    });
    if (protection.name === 'envelope-crypto') {
      expect(await readyError(app)).toContain('same scope');
      return;
    }
    await app.ready();
    expect(await isProtected(app, 'POST', '/late')).toBe(true);
  });

  test('ADP-2 encapsulated, it protects its scope and leaves others alone, older routes too', async () => {
    const app = await openApp(protection);
    app.get('/health', { config: silent }, answer);
    await app.register(async (scope) => void scope.all('/files/*', { config: silent }, answer), { prefix: '/old' });
    await app.register(async (scope) => {
      await register(scope, { scope: 'encapsulated' });
      await protection.after?.(scope);
      scope.post('/inside', declared, answer);
      scope.register(async (inner) => void inner.post('/deep', declared, answer), { prefix: '/inner' });
    });
    app.post('/outside', { config: silent }, answer);
    await app.ready();
    expect(await isProtected(app, 'POST', '/inside')).toBe(true);
    expect(await isProtected(app, 'POST', '/inner/deep')).toBe(true);
    expect(await isProtected(app, 'POST', '/outside')).toBe(false);
    expect((await app.inject('/health')).json()).toEqual({ done: true });
  });

  test('ADP-2 encapsulated, a route outside that declares the protection stops the start', async () => {
    const app = await openApp(protection);
    await app.register(async function group(outer) {
      await outer.register(async (scope) => {
        await register(scope, { scope: 'encapsulated' });
        await protection.after?.(scope);
      });
      outer.post('/of-the-parent', declared, answer);
    });
    app.register(async (scope) => void scope.post('/of-a-sibling', declared, answer));
    const message = await readyError(app);
    expect(message).toContain('POST /of-the-parent, POST /of-a-sibling: its config asks for the plugin');
  });

  test('ADP-2 encapsulated, an older route outside that declares the protection is refused', async () => {
    const app = await openApp(protection);
    app.post('/before', declared, answer);
    await app.register(async (scope) =>
      scope.post('/sibling', declared, answer).get('/silent', { config: silent }, answer),
    );
    await app.register(async (scope) => {
      await register(scope, { scope: 'encapsulated' });
      await protection.after?.(scope);
      scope.post('/inside', declared, answer);
    });
    await app.ready();
    expect(await isProtected(app, 'POST', '/inside')).toBe(true);
    expect((await app.inject('/silent')).json()).toEqual({ done: true });
    for (const url of ['/before', '/sibling']) {
      const { statusCode, payload } = await app.inject({ method: 'POST', url });
      expect([statusCode, payload]).toEqual([500, expect.stringContaining(`POST ${url}: its config asks for`)]);
    }
  });

  test('ADP-2 encapsulated, an older route of its own scope stops the start', async () => {
    const app = await openApp(protection);
    app.get('/elsewhere', { config: silent }, answer);
    await app.register(async (scope) => {
      scope.post('/mine/*', declared, answer);
      scope.register(async (inner) => void inner.post('/mine', declared, answer), { prefix: '/inner' });
      await scope.after();
      await register(scope, { scope: 'encapsulated' });
      await protection.after?.(scope);
    });
    const message = await readyError(app);
    expect(message).toContain('registered earlier: POST /mine/*, POST /inner/mine.');
    expect(message).not.toContain('elsewhere');
  });

  test('ADP-2 in two scopes side by side each protects its own; one inside the other is refused', async () => {
    const app = await openApp(protection);
    const inScope = (prefix: string) =>
      app.register(
        async (scope) => {
          await register(scope, { scope: 'encapsulated' });
          await protection.after?.(scope);
          scope.post('/x', declared, answer);
        },
        { prefix },
      );
    await inScope('/a');
    await inScope('/b');
    await app.ready();
    expect(await isProtected(app, 'POST', '/a/x')).toBe(true);
    expect(await isProtected(app, 'POST', '/b/x')).toBe(true);

    const nested = await openApp(protection);
    await register(nested);
    const inner = nested.register(async (scope) => void (await register(scope, { scope: 'encapsulated' })));
    await expect((async () => inner)()).rejects.toThrow(/registered already/);
  });

  test('ADP-2 a later onRoute hook that changes the declaration stops the start', async () => {
    for (const change of [
      (route: RouteOptions) => void Object.assign(route.config!, protection.otherConfig),
      (route: RouteOptions) => void Object.assign(route, { config: { ...protection.otherConfig } }),
      (route: RouteOptions) => void Object.assign(route, { config: { ...declared.config } }),
    ]) {
      const app = await openApp(protection);
      await register(app);
      await protection.after?.(app);
      app.addHook('onRoute', change);
      app.post('/changed', declared, answer);
      expect(await readyError(app)).toMatch(
        /POST \/changed: an onRoute hook that runs after the plugin's changes config\./,
      );
    }
  });

  test('ADP-2 with allowEarlierRoutes an older route that declares the protection has it, or is refused', async () => {
    const app = await openApp(protection);
    app.get('/silent', answer);
    app.post('/older', declared, answer);
    await register(app, { allowEarlierRoutes: true });
    await protection.after?.(app);
    app.post('/newer', declared, answer);
    await app.ready();
    expect(await isProtected(app, 'POST', '/newer')).toBe(true);
    expect([true, 'refused']).toContain(await isProtected(app, 'POST', '/older'));
  });

  test('a reply whose header cannot be written ends no process', async () => {
    const app = await openApp(protection);
    await register(app);
    await protection.after?.(app);
    app.post(
      '/broken',
      { config: { ...config, ...silent, ...config, bypassEnvelope: true } as object },
      (_request, reply) => reply.header('location', '/orders/订单').send({ done: true }),
    );
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const thrown: unknown[] = [];
    const note = (error: unknown) => void thrown.push(error);
    process.on('uncaughtException', note);
    const { status } = await fetch(`${origin}/broken`, {
      method: 'POST',
      headers: { 'idempotency-key': crypto.randomUUID() },
      signal: AbortSignal.timeout(5000),
    });
    process.off('uncaughtException', note);
    expect(thrown).toEqual([]);
    expect(status).toBe(protection.name === 'auth-tokens' ? 401 : 500);
  });
});
