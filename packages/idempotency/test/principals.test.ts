import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import Fastify, { type FastifyContextConfig, type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import idempotency, { IDEMPOTENCY_DEFAULTS } from '../src/index.js';
import { type KeyPlace, scopeOf } from '../src/requests/index.js';
import { newKey } from './idempotent-app.js';

interface App {
  readonly app: FastifyInstance;
  readonly runs: () => number;
  /** What `POST url` answers. */
  post(url?: string, key?: string): Promise<{ status: number; code: string; message: string }>;
}

/** A server with a protected route and a public one, whose handlers count. */
async function start(
  principalOf: unknown,
  prepare: (app: FastifyInstance) => void = () => {},
  shape: 'handler' | 'in-handler' = 'handler',
): Promise<App> {
  const app = Fastify();
  onTestFinished(() => app.close());
  prepare(app);
  const options = { store: createMemoryStore(), ...(principalOf !== undefined && { principalOf }) };
  await app.register(idempotency, options as never);
  let runs = 0;
  const handler = async () => ({ data: ++runs });
  const opened = shape === 'handler' ? true : { content: shape };
  app.post('/', { config: { idempotency: opened } as FastifyContextConfig }, handler);
  const open = { idempotency: true, access: 'public', captcha: true, rateLimit: {} } as FastifyContextConfig;
  app.post('/open', { config: open }, handler);
  await app.ready();
  return {
    app,
    runs: () => runs,
    async post(url = '/', key = newKey()) {
      const answer = await app.inject({ method: 'POST', url, headers: { 'idempotency-key': key } });
      const { code = '', message = '' } = answer.json();
      return { status: answer.statusCode, code, message };
    },
  };
}

/** Every kind of value that names nobody, and what the error calls it. */
const FOREIGN: readonly (readonly [kind: string, value: unknown])[] = [
  ['undefined', undefined],
  ['an empty string', ''],
  ['a promise', Promise.resolve('ada')],
  // biome-ignore lint/suspicious/noThenProperty: promises of other libraries are no Promise
  ['a promise', { then: () => {} }],
  ['an object', { id: 'secret-id' }],
  ['an array', ['secret-id']],
  ['a number', 4711],
  ['a boolean', true],
  ['a function', () => 'secret-id'],
  ['a symbol', Symbol('secret-id')],
  ['a bigint', 4711n],
];

describe('ADP-5 principalOf', () => {
  it.each(FOREIGN)('that yields %s runs nothing and is a setup error, on public routes too', async (kind, value) => {
    for (const shape of ['handler', 'in-handler'] as const) {
      const { post, runs } = await start(() => value, undefined, shape);
      for (const url of ['/', '/open']) {
        const { status, code, message } = await post(url);
        expect([status, code]).toEqual([500, 'IDEMPOTENCY_SETUP_INVALID']);
        expect(message).toBe(
          `idempotency: principalOf on POST ${url} must be a non-empty string, or null for a caller who is not signed ` +
            `in; it is ${kind}${kind === 'a promise' ? ': load the caller in a hook before, and return what it found' : ''}`,
        );
      }
      expect(runs()).toBe(0);
    }
  });

  it('that is asynchronous is refused, and its rejection does not end the process', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const { post, runs } = await start(async () => Promise.reject(new Error('the session store is away')));
    expect(await post()).toMatchObject({ status: 500, code: 'IDEMPOTENCY_SETUP_INVALID' });
    // Node reports a rejection after the microtasks of the turn in which it happened.
    await new Promise((resolve) => setImmediate(resolve));
    expect([runs(), rejections]).toEqual([0, []]);
  });

  it('that yields null names nobody: on public routes only', async () => {
    const { post, runs } = await start(() => null);
    const { code, message } = await post();
    expect(code).toBe('IDEMPOTENCY_SETUP_INVALID');
    expect(message).toContain('principalOf returned null on POST /, which is not public: authenticate the request');
    expect(runs()).toBe(0);
    expect((await post('/open')).status).toBe(200);
  });

  it('that throws is answered with its own error, and nothing runs', async () => {
    const refusal = Object.assign(new Error('Sign in first'), { statusCode: 401, code: 'NOT_SIGNED_IN' });
    const { post, runs } = await start(() => {
      throw refusal;
    });
    expect(await post()).toEqual({ status: 401, code: 'NOT_SIGNED_IN', message: 'Sign in first' });
    expect(runs()).toBe(0);
  });
});

describe('ADP-5 the default principalOf', () => {
  const withPrincipal = (principal: unknown) => (app: FastifyInstance) => {
    app.decorateRequest('principal', null as never);
    app.addHook('onRequest', async (request) => {
      Object.assign(request, { principal });
    });
  };

  it.each([
    ['an object', { id: 'secret-id', roles: ['admin'] }],
    ['an object', { audience: 'app', id: 'secret-id' }],
    ['an object', { subject: 'secret-id' }],
    ['an object', { audience: 'app', subject: 4711 }],
    ['an object', { audience: 'app', subject: '' }],
    ['an object', { audience: '', subject: 'secret-id' }],
    ['an object', {}],
    ['an array', ['secret-id']],
    ['a string', 'secret-id'],
    ['a number', 4711],
    ['a promise', Promise.resolve({ audience: 'app', subject: 'secret-id' })],
  ])('refuses a request.principal of another shape: %s %j', async (kind, principal) => {
    const { post, runs } = await start(undefined, withPrincipal(principal));
    for (const url of ['/', '/open']) {
      const { status, code, message } = await post(url);
      expect([status, code]).toEqual([500, 'IDEMPOTENCY_SETUP_INVALID']);
      expect(message).toMatch(
        new RegExp(`^idempotency: principalOf is required: request\\.principal is ${kind}, not .*give principalOf: `),
      );
      expect(message).not.toMatch(/secret-id|4711/);
    }
    expect(runs()).toBe(0);
  });

  it.each([null, undefined])('takes a request.principal of %s for nobody', async (principal) => {
    const { post, runs } = await start(undefined, withPrincipal(principal));
    expect(await post()).toMatchObject({ status: 500, code: 'IDEMPOTENCY_SETUP_INVALID' });
    expect(runs()).toBe(0);
    expect((await post('/open')).status).toBe(200);
  });

  it('keeps the names that it gave before, except for an audience with a colon or a percent sign', () => {
    const nameOf = (audience: string, subject: string) =>
      IDEMPOTENCY_DEFAULTS.principalOf({ principal: { audience, subject } });
    expect(nameOf('app', '1')).toBe('app:1');
    expect(nameOf('app', 'urn:user:%41')).toBe('app:urn:user:%41');
    expect(nameOf('https://x', '1')).toBe('https%3A//x:1');
    expect(nameOf('https%3A//x', '1')).toBe('https%253A//x:1');
  });
});

/** Any UTF-16 text, with lone surrogates, and often of the characters that a separator could be made of. */
const text = fc
  .array(fc.oneof(fc.constantFrom(58, 37, 51, 65, 0, 34, 44, 92), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((units) => String.fromCharCode(...units));
const principal = fc.oneof(text, fc.constant(null), fc.constantFrom('null', 'undefined', 'a:b', 'é', 'é'));

const place: Omit<KeyPlace, 'principal'> = {
  method: 'POST',
  url: '/payments',
  params: {},
  key: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
};

/** The scope, or null where the request is refused since the name is not well-formed Unicode. */
function scopeFor(name: string | null): string | null {
  try {
    return scopeOf({ ...place, principal: name });
  } catch (error) {
    expect(error).toMatchObject({ code: 'IDEMPOTENCY_BODY_UNSUPPORTED', statusCode: 400 });
    return null;
  }
}

describe('ADP-5 different principals', () => {
  it('never share a scope', () => {
    fc.assert(
      fc.property(principal, principal, (one, other) => {
        const [scope, otherScope] = [scopeFor(one), scopeFor(other)];
        if (scope !== null) expect(scope === otherScope).toBe(one === other);
      }),
      { numRuns: cases(2000) },
    );
  });

  it('never share a scope by audience and subject, wherever a text is cut in two', () => {
    const pair = fc.tuple(text, text);
    const cut = fc
      .tuple(fc.array(text, { minLength: 3, maxLength: 3 }))
      .map(([[a, b, c]]) => [[`${a}:${b}`, c] as const, [a, `${b}:${c}`] as const] as const);
    const nameOf = ([audience, subject]: readonly [string | undefined, string | undefined]) =>
      IDEMPOTENCY_DEFAULTS.principalOf({ principal: { audience, subject } });
    fc.assert(
      fc.property(fc.oneof(cut, fc.tuple(pair, pair)), ([one, other]) => {
        const isSame = one[0] === other[0] && one[1] === other[1];
        expect(nameOf(one) === nameOf(other)).toBe(isSame);
      }),
      { numRuns: cases(2000) },
    );
    expect(nameOf(['a:b', 'c'])).not.toBe(nameOf(['a', 'b:c']));
  });

  it('have each their own run of one key', async () => {
    const users = [
      { audience: 'a:b', subject: 'c' },
      { audience: 'a', subject: 'b:c' },
      { audience: 'a%3Ab', subject: 'c' },
    ];
    let user = users[0];
    const { post, runs } = await start(undefined, (app) => {
      app.decorateRequest('principal', null as never);
      app.addHook('onRequest', async (request) => void Object.assign(request, { principal: user }));
    });
    const key = newKey();
    for (user of users) expect((await post('/', key)).status).toBe(200);
    for (user of users) expect((await post('/', key)).code).toBe('IDEMPOTENCY_SUBMITTED');
    expect(runs()).toBe(users.length);
  });
});

describe('ADP-5 lookUp', () => {
  it.each(FOREIGN)('rejects a principal that is %s', async (kind, value) => {
    const { app } = await start(() => 'ada');
    await expect(app.idempotency.lookUp(value as string, newKey())).rejects.toMatchObject({
      code: 'IDEMPOTENCY_SETUP_INVALID',
      statusCode: 500,
      message: expect.stringContaining(`lookUp: principal must be a non-empty string`),
      faults: [expect.stringContaining(`it is ${kind}`)],
    });
  });
});
