import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import loginPolicy, { LOGIN_POLICY_DEFAULTS, type LoginPolicyEvent, type LoginPolicyOptions } from '../src/index.js';

/** An application with one user, its own 401, and Fastify's own errors. */
async function createApp(
  options: Partial<LoginPolicyOptions> = {},
  prepare: (app: FastifyInstance) => void = () => {},
  logged: string[] = [],
): Promise<FastifyInstance> {
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } } });
  onTestFinished(() => app.close());
  prepare(app);
  await app.register(loginPolicy, { store: createMemoryStore(), ...options });
  const text = { type: 'string', minLength: 1 };
  const body = { type: 'object', required: ['username', 'password'], properties: { username: text, password: text } };
  app.post<{ Body: { username: string; password: string; terminal?: string } }>(
    '/login',
    { schema: { body } },
    async ({ body: { username, password, terminal = 'web' }, ip }, reply) => {
      const user = await app.loginPolicy.attempt({ username, terminal, clientIp: ip }, async () =>
        username === 'ada' && password === 'right' ? { username } : null,
      );
      return user ?? reply.code(401).send({ code: 'LOGIN_FAILED' });
    },
  );
  return app;
}

const login = (app: FastifyInstance, body: object, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url: '/login', headers, body });

const locked = {
  statusCode: 429,
  code: 'LOGIN_LOCKED',
  error: 'Too Many Requests',
  message: 'Too many failed sign-ins; try again later',
};

describe('over HTTP', () => {
  it('LGN-3 a lock is 429 with Retry-After, the same answer for known and unknown names', async () => {
    const app = await createApp({ now: () => 1_800_000_000_000 });
    const refusals = [];
    for (const username of ['ada', 'nobody']) {
      for (let n = 0; n < 5; n++) await login(app, { username, password: 'wrong' });
      refusals.push(
        await login(app, { username, password: 'right' }),
        await login(app, { username, password: 'wrong' }),
      );
    }
    for (const { statusCode, headers, body } of refusals) {
      expect(statusCode).toBe(429);
      expect(JSON.parse(body)).toEqual(locked);
      expect({ ...headers, date: null }).toEqual({ ...refusals[0]!.headers, date: null });
      expect(headers['retry-after']).toBe('600');
    }
  });

  it('LGN-3 an error handler of the application, and of a scope, does not lose Retry-After', async () => {
    const own = (app: FastifyInstance) =>
      void app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
        reply.code(error.statusCode ?? 500).send({ error: { text: error.message } }),
      );
    const app = await createApp({ now: () => 1_800_000_000_000, policy: { failureCount: 1 } }, own);
    await app.register(async (scope) => {
      scope.setErrorHandler((_error, _request, reply) => reply.code(429).send('locked'));
      scope.post('/scope', () =>
        app.loginPolicy.attempt({ username: 'ada', terminal: 'web', clientIp: '127.0.0.1' }, async () => null),
      );
      scope.post('/other', async () => {
        throw Object.assign(new Error('other'), { statusCode: 429, headers: { 'retry-after': '7' } });
      });
    });
    await login(app, { username: 'ada', password: 'wrong' });
    const locked = await login(app, { username: 'ada', password: 'right' });
    expect([locked.statusCode, locked.headers['retry-after']]).toEqual([429, '600']);
    expect(locked.json()).toEqual({ error: { text: 'Too many failed sign-ins; try again later' } });
    const scoped = await app.inject({ method: 'POST', url: '/scope' });
    expect([scoped.body, scoped.headers['retry-after']]).toEqual(['locked', '600']);
    const other = await app.inject({ method: 'POST', url: '/other' });
    expect(other.headers['retry-after']).toBeUndefined();
  });

  it('LGN-4 an unknown terminal is logged once, without its value', async () => {
    const logged: object[] = [];
    const log = { error: () => {}, warn: (details: object, message: string) => void logged.push({ details, message }) };
    const app = await createApp({ log, terminals: ['admin'] });
    for (let n = 0; n < 3; n++) {
      expect((await login(app, { username: 'ada', password: 'right', terminal: 'wbe' })).statusCode).toBe(400);
    }
    await expect(app.loginPolicy.clear({ username: 'ada', terminal: 'wbe' })).rejects.toThrow();
    expect(logged).toEqual([
      {
        details: { terminals: ['admin'] },
        message: 'A terminal was refused that is not in the option terminals of the login policy',
      },
    ]);
    const withoutWarn = await createApp({ log: { error: () => {} }, terminals: ['admin'] });
    expect((await login(withoutWarn, { username: 'ada', password: 'right' })).statusCode).toBe(400);
  });

  it('LP-04 guesses with random X-Forwarded-For and no trusted proxy share one counter, which locks', async () => {
    const app = await createApp();
    const guess = (n: number) =>
      login(
        app,
        { username: 'ada', password: 'wrong' },
        { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `198.51.100.${n}` },
      );
    const codes = [];
    for (let n = 0; n < 8; n++) codes.push((await guess(n)).statusCode);
    expect(codes).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it('LP-22 a missing or empty password is a 400 of the schema, and no failure', async () => {
    const app = await createApp();
    for (let n = 0; n < 20; n++) {
      expect((await login(app, { username: 'ada' })).statusCode).toBe(400);
      expect((await login(app, { username: 'ada', password: '' })).statusCode).toBe(400);
    }
    expect((await login(app, { username: 'ada', password: 'right' })).statusCode).toBe(200);
  });

  it('LP-13 LP-54 a bad terminal or name is 400, with exactly this body', async () => {
    const app = await createApp();
    const terminal = await login(app, { username: 'ada', password: 'right', terminal: 'x1' });
    expect(terminal.json()).toEqual({
      statusCode: 400,
      code: 'LOGIN_TERMINAL_REFUSED',
      error: 'Bad Request',
      message: 'This terminal cannot sign in here',
    });
    const name = await login(app, { username: 'a'.repeat(1000), password: 'right' });
    expect(name.json()).toEqual({
      statusCode: 400,
      code: 'LOGIN_NAME_REFUSED',
      error: 'Bad Request',
      message: 'This is not a user name',
    });
  });

  it('LP-26 LP-28 the whitelist refuses with 403, with exactly this body', async () => {
    const app = await createApp({ policy: { ipWhitelistEnabled: true } });
    expect((await login(app, { username: 'ada', password: 'right' })).json()).toEqual({
      statusCode: 403,
      code: 'LOGIN_IP_REFUSED',
      error: 'Forbidden',
      message: 'Sign-in is not allowed from this address',
    });
  });

  it('LP-24 a bad policy at run time is 503, and the log has the reason if an error handler hides it', async () => {
    const logged: string[] = [];
    const policy = () => ({ ...LOGIN_POLICY_DEFAULTS, failureCount: Number.NaN });
    const hide = (app: FastifyInstance) =>
      void app.setErrorHandler((_error, _request, reply) => reply.code(503).send('later'));
    const app = await createApp({ policy }, hide, logged);
    const answer = await login(app, { username: 'ada', password: 'right' });
    expect([answer.statusCode, answer.body]).toEqual([503, 'later']);
    expect(logged.join()).toContain('policy.failureCount must be a whole number from 1 to 100');
  });

  it('ADP-1 refuses to start with bad options, by name', async () => {
    const start = async (options: object) => {
      const app = Fastify();
      onTestFinished(() => app.close());
      await app.register(loginPolicy, { store: createMemoryStore(), ...options });
    };
    await expect(start({ policy: { lockSeconds: 0 } })).rejects.toMatchObject({
      code: 'LOGIN_POLICY_SETUP_INVALID',
      message: 'login-policy: policy.lockSeconds must be a whole number from 1 to 86400',
    });
    await expect(start({ policies: {} })).rejects.toThrow('policies is not an option; did you mean policy?');
    await expect(start({ failureCount: 3 })).rejects.toThrow(
      'failureCount is not an option; did you mean policy.failureCount?',
    );
    await expect(start({ prefix: '/x', logLevel: 'warn' })).resolves.toBeUndefined();
  });
});

describe('events', () => {
  it('LP-28 the listener receives failures, locks, refusals and clears in order, with the same subject', async () => {
    const events: LoginPolicyEvent[] = [];
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(loginPolicy, {
      store: createMemoryStore(),
      policy: { failureCount: 2 },
      onEvent: async (event) => void events.push(event),
    });
    const subject = { username: ' Ada', terminal: 'WEB', clientIp: '192.0.2.7', request: { id: 'r-1' } };
    const attempt = (given = subject) => app.loginPolicy.attempt(given, async () => null).catch(() => null);
    await attempt();
    await attempt();
    await attempt();
    await attempt({ ...subject, terminal: 'x1' });
    await app.loginPolicy.clear({ username: 'ADA' });
    const account = { username: 'ada', terminal: 'web' };
    expect(events).toEqual([
      { type: 'failed', subject, account, failures: 1 },
      { type: 'failed', subject, account, failures: 2 },
      { type: 'locked', subject, account, counter: 'subject', lockedUntil: expect.any(Number) },
      { type: 'refused', subject, error: expect.objectContaining({ code: 'LOGIN_LOCKED', retryAfterSeconds: 600 }) },
      {
        type: 'refused',
        subject: { ...subject, terminal: 'x1' },
        error: expect.objectContaining({ code: 'LOGIN_TERMINAL_REFUSED' }),
      },
      { type: 'cleared', account },
    ]);
    expect(events[0]!.type === 'failed' && events[0]!.subject).toBe(subject);
  });

  it('AUD-4 the listener is awaited: no answer comes before its record, and none if it fails', async () => {
    let isAway = false;
    const written: string[] = [];
    const onEvent = async ({ type }: LoginPolicyEvent) => {
      await new Promise(setImmediate);
      if (isAway) throw Object.assign(new Error('audit away'), { statusCode: 503, code: 'AUDIT_UNAVAILABLE' });
      written.push(type);
    };
    const app = await createApp({ onEvent });
    await login(app, { username: 'ada', password: 'wrong' });
    expect(written).toEqual(['failed']);
    isAway = true;
    for (let n = 0; n < 4; n++) {
      expect((await login(app, { username: 'ada', password: 'wrong' })).json().code).toBe('AUDIT_UNAVAILABLE');
    }
    isAway = false;
    // They were counted nevertheless.
    expect((await login(app, { username: 'ada', password: 'right' })).statusCode).toBe(429);
  });
});
