import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { auditLog, createMemorySink } from '../../packages/audit-log/src/index.js';
import { authTokens, generateSigningKey } from '../../packages/auth-tokens/src/index.js';
import { createMemoryStore } from '../../packages/ttl-store/src/index.js';
import { openApp, protections } from '../route-protections.ts';

const signingKey = generateSigningKey();
const authOptions = () => ({ store: createMemoryStore(), issuer: 'https://test.example', signingKey });
const answer = async () => ({ done: true });

/** A scope that an application keeps, to add routes later. */
async function keepScope(app: FastifyInstance): Promise<{ kept: FastifyInstance }> {
  const kept: FastifyInstance[] = [];
  await app.register(async (scope) => void kept.push(scope), { prefix: '/kept' });
  // Not the scope itself: it has a `then`.
  return { kept: kept[0]! };
}

describe.each(protections)('$name', (protection) => {
  const { plugin, options, config, silent, isProtected } = protection;
  const declared = { config: config as object };
  const register = (app: FastifyInstance, more: object = {}) =>
    app.register(plugin as FastifyPluginAsync<object>, { ...options(), ...more });
  /** Asks twice: Fastify rejects the first request after a start that failed, and serves the next. */
  const isRefused = async (app: FastifyInstance, url: string) => {
    await app.inject({ method: 'POST', url }).catch(() => undefined);
    const { statusCode, payload } = await app.inject({ method: 'POST', url });
    return statusCode === 500 && payload.includes('_SETUP_INVALID');
  };
  const startError = (app: FastifyInstance) =>
    app.ready().then(
      () => null,
      (error: Error) => error,
    );

  test('ADP-2 an application whose start was refused serves nothing, however often it is asked', async () => {
    const late = await openApp(protection);
    register(late);
    late.post('/late', declared, answer);
    expect(await startError(late)).not.toBeNull();
    expect(await isRefused(late, '/late')).toBe(true);

    const outside = await openApp(protection);
    await outside.register(async (scope) => {
      await register(scope, { scope: 'encapsulated' });
      await protection.after?.(scope);
    });
    outside.post('/outside', declared, answer);
    expect(await startError(outside)).not.toBeNull();
    expect(await isRefused(outside, '/outside')).toBe(true);
  });

  test.each([
    { fault: 'an unknown option', more: { misspelt: 1 } },
    { fault: 'an older route', more: {} },
  ])('ADP-2 the start is refused even if a callback takes the error: $fault', async ({ more }) => {
    const app = await openApp(protection);
    const taken: unknown[] = [];
    register(app, more).after((error) => void taken.push(error));
    app.post('/open', declared, answer);
    expect(String(await startError(app))).toContain(protection.name);
    expect(taken).toEqual([expect.any(Error)]);
    expect(await isRefused(app, '/open')).toBe(true);
  });

  test('ADP-2 encapsulated, a later route of an older scope elsewhere is refused if it declares the protection', async () => {
    const app = await openApp(protection);
    const { kept } = await keepScope(app);
    await app.register(async (scope) => {
      await register(scope, { scope: 'encapsulated' });
      await protection.after?.(scope);
      scope.post('/inside', declared, answer);
    });
    kept.post('/declared', declared, answer);
    kept.post('/silent', { config: silent }, answer);
    await app.ready();
    expect(await isProtected(app, 'POST', '/inside')).toBe(true);
    expect(await isRefused(app, '/kept/declared')).toBe(true);
    expect((await app.inject({ method: 'POST', url: '/kept/silent' })).json()).toEqual({ done: true });
  });

  test('ADP-2 encapsulated, allowEarlierRoutes does not open older routes elsewhere', async () => {
    const app = await openApp(protection);
    app.post('/elsewhere', declared, answer);
    await app.register(async (scope) => {
      scope.post('/mine', declared, answer);
      await register(scope, { scope: 'encapsulated', allowEarlierRoutes: true });
      await protection.after?.(scope);
    });
    await app.ready();
    expect(await isRefused(app, '/elsewhere')).toBe(true);
    expect([true, 'refused']).toContain(await isProtected(app, 'POST', '/mine'));
  });

  test('ADP-4 with allowEarlierRoutes an older route of a child scope is served', async () => {
    const app = await openApp(protection);
    await app.register(
      async (scope) => void scope.post('/declared', declared, answer).post('/silent', { config: silent }, answer),
    );
    await register(app, { allowEarlierRoutes: true });
    await protection.after?.(app);
    await app.ready();
    expect([true, 'refused']).toContain(await isProtected(app, 'POST', '/declared'));
    if (protection.name === 'envelope-crypto') expect(await isProtected(app, 'POST', '/silent')).toBe(true);
    else expect((await app.inject({ method: 'POST', url: '/silent' })).json()).toEqual({ done: true });
  });

  test('ADP-4 a later route of an older scope is protected, or refused with the reason', async () => {
    const app = await openApp(protection);
    const { kept } = await keepScope(app);
    await register(app);
    await protection.after?.(app);
    kept.post('/declared', declared, answer);
    await app.ready();
    expect([true, 'refused']).toContain(await isProtected(app, 'POST', '/kept/declared'));
  });
});

test('ADP-2 a list of permissions that a later onRoute hook extends in place stops the start', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const codes = ['order:read', 'order:audit'];
  await app.register(authTokens, { ...authOptions(), permissions: codes, loadPermissions: async () => ['order:read'] });
  app.addHook('onRoute', ({ config }) => void (config!.permission as string[]).push('order:audit'));
  app.get('/orders', { config: { access: 'admin', permission: ['order:read'] } }, answer);
  await expect(Promise.resolve(app.ready())).rejects.toThrow(
    "GET /orders: an onRoute hook that runs after the plugin's changes config.access or config.permission",
  );
});

test('ADP-3 an older route for OPTIONS alone answers preflights, however its method is written', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.route({ method: ['OPTIONS'], url: '*', handler: answer });
  await app.register(authTokens, authOptions());
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
  expect((await app.inject({ method: 'OPTIONS', url: '/x', headers })).statusCode).toBe(200);
  expect((await app.inject({ method: 'OPTIONS', url: '/x' })).statusCode).toBe(401);
});

test('ADP-4 a later route of an older scope has its access, its records and the members of requests', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const { kept } = await keepScope(app);
  const sink = createMemorySink();
  await app.register(auditLog, { sink });
  await app.register(authTokens, authOptions());
  const open = { access: 'public', audit: false } as const;
  kept.get('/open', { config: open }, async ({ principal, audit }) => ({ principal, audit }));
  kept.get('/closed', { config: { access: 'admin', audit: 'order' } }, answer);
  kept.get('/undecided', answer);
  expect((await app.inject('/kept/open')).json()).toEqual({ principal: null, audit: null });
  expect((await app.inject('/kept/closed')).statusCode).toBe(401);
  expect(sink.records()).toHaveLength(1);
  const { statusCode, payload } = await app.inject('/kept/undecided');
  expect([statusCode, payload]).toEqual([500, expect.stringContaining('config.audit is missing')]);
});

test('AUD-8 ADP-2 a record is begun before the handler, although a later onRoute hook replaces the preHandlers', async () => {
  const order: string[] = [];
  const sink = createMemorySink();
  const app = Fastify();
  onTestFinished(() => app.close());
  const append = async (records: Parameters<typeof sink.append>[0]) => {
    order.push(...records.map(({ outcome }) => outcome));
    await sink.append(records);
  };
  await app.register(auditLog, { sink: { append } });
  app.addHook('onRoute', (route) => {
    route.preHandler = async () => void order.push('preHandler');
  });
  app.post('/async', { config: { audit: 'order' } }, async () => {
    order.push('handler');
    return { done: true };
  });
  app.post('/sync', { config: { audit: 'order' } }, (_request, reply) => {
    order.push('handler');
    setImmediate(() => reply.send({ done: true }));
  });
  for (const url of ['/async', '/sync']) {
    expect((await app.inject({ method: 'POST', url })).json()).toEqual({ done: true });
    expect(order.splice(0)).toEqual(['preHandler', 'unknown', 'handler', 'success']);
  }
});

describe('audit-log beside auth-tokens', () => {
  test('AUD-1 ADP-2 audit-log after auth-tokens stops the start: its refusals would not be recorded', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(authTokens, authOptions());
    await expect(app.register(auditLog, { sink: createMemorySink() })).rejects.toThrow(
      /Register audit-log before auth-tokens.*dependencies: \['audit'\]/,
    );
  });

  test('AUD-1 audit-log before auth-tokens records its refusals', async () => {
    const sink = createMemorySink();
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(auditLog, { sink });
    await app.register(authTokens, authOptions());
    app.get('/orders', { config: { audit: 'order', access: 'admin' } }, answer);
    expect((await app.inject('/orders')).statusCode).toBe(401);
    expect(sink.records().map(({ action, reason }) => [action, reason])).toEqual([['order.read', 'TOKEN_MISSING']]);
  });

  test('ADP-2 audit-log of a part of the application may come after auth-tokens', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(authTokens, authOptions());
    await app.register(async (scope) => {
      await scope.register(auditLog, { scope: 'encapsulated', sink: createMemorySink() });
    });
    await app.ready();
  });
});
