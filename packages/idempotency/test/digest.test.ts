import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdempotencyBodyUnsupportedError } from '../src/index.js';
import { digestOf, type KeyPlace, scopeOf } from '../src/requests/request-identity.js';
import { createIdempotentApp, newKey, tally } from './idempotent-app.js';

const place: KeyPlace = {
  principal: 'admin:1',
  method: 'POST',
  url: '/payments',
  params: {},
  key: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
};

describe('IDM-4 the digest of a request', () => {
  it('covers method, path, query and body, and differs between kinds of body', () => {
    const bodies = [
      undefined,
      null,
      {},
      [],
      '',
      '{}',
      'null',
      Buffer.from(''),
      Buffer.from('{}'),
      { a: 1 },
      { a: '1' },
      [1, 2],
      [2, 1],
    ];
    const digests = [
      ...bodies.map((body) => digestOf(place, { query: {}, body })),
      digestOf(place, { query: { a: '1' }, body: {} }),
      digestOf(place, { query: { a: ['1', '2'] }, body: {} }),
      digestOf({ ...place, method: 'PUT' }, { query: {}, body: {} }),
      digestOf({ ...place, url: '/refunds' }, { query: {}, body: {} }),
      digestOf({ ...place, params: { id: '1' } }, { query: {}, body: {} }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    for (const digest of digests) expect(digest).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('ID-06 ignores the order of members, white space, escapes and spellings of numbers', () => {
    const texts = ['{"a":1,"b":[{"c":"é","d":100}]}', '{ "b" : [ { "d" : 1e2, "c" : "\\u00e9" } ], "a" : 1.0 }'];
    const [one, other] = texts.map((text) => digestOf(place, { query: {}, body: JSON.parse(text) }));
    expect(one).toBe(other);
  });

  it('ID-06 is equal for JSON with shuffled members, and different for different JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (body, otherBody) => {
        const digest = digestOf(place, { query: {}, body });
        expect(digestOf(place, { query: {}, body: reversed(body) })).toBe(digest);
        const isSame = JSON.stringify(sorted(body)) === JSON.stringify(sorted(otherBody));
        expect(digestOf(place, { query: {}, body: otherBody }) === digest).toBe(isSame);
      }),
    );
  });

  it('ID-28 differs from key to key, so that readers of the store cannot guess a body', () => {
    const content = { query: {}, body: { approve: true } };
    expect(digestOf({ ...place, key: newKey() }, content)).not.toBe(digestOf(place, content));
  });

  it('IDM-2 ID-12 the scope separates everything that differs, and no principal from one named null', () => {
    const scopes = [
      place,
      { ...place, principal: null },
      { ...place, principal: 'null' },
      { ...place, principal: '' },
      { ...place, method: 'PUT' },
      { ...place, url: '/payments/:id', params: { id: '1' } },
      { ...place, url: '/payments/:id', params: { id: '2' } },
      { ...place, key: newKey() },
    ].map(scopeOf);
    expect(new Set(scopes).size).toBe(scopes.length);
  });

  it.each([
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a number beyond the doubles', '{"a":1e999}'],
    ['very deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('is refused to a body with %s: nothing runs, and the corrected body may use the same key', async (_what, body) => {
    const { submit, rows } = await createIdempotentApp({ store: createMemoryStore() });
    const key = newKey();
    const refused = await submit({ key, body });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'IDEMPOTENCY_BODY_UNSUPPORTED']);
    expect(rows).toEqual([]);
    expect(tally([await submit({ key })])).toEqual({ done: 1 });
  });

  it('is refused to a parsed body that is not JSON, since two such bodies could not be told apart', async () => {
    const { submit, rows } = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, new URLSearchParams(String(body))),
      );
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const key = newKey();
    const answers = [
      await submit({ key, headers, body: 'amount=1' }),
      await submit({ key, headers, body: 'amount=2' }),
      await submit({ key, body: {} }),
    ];
    expect(tally(answers)).toEqual({ IDEMPOTENCY_BODY_UNSUPPORTED: 2, done: 1 });
    expect(rows).toEqual([{}]);
    for (const value of [new Map([['a', 1]]), [new Set([1])], { a: new Error('a') }, { a: new (class A {})() }]) {
      expect(() => digestOf(place, { query: {}, body: value })).toThrow(IdempotencyBodyUnsupportedError);
    }
    // A `Buffer` of a form's file, with its name beside it.
    const file = (bytes: Uint8Array, name = 'a') => digestOf(place, { query: {}, body: { name, file: bytes } });
    expect(file(Buffer.from('a'))).toBe(file(new TextEncoder().encode('a')));
    const files = [file(Buffer.from('a')), file(Buffer.from('b')), file(Buffer.from('a'), 'b'), file(Buffer.from(''))];
    expect(new Set(files).size).toBe(4);
    const dates = [0, 1].map((time) => digestOf(place, { query: Object.create(null), body: { at: new Date(time) } }));
    expect(dates[0]).not.toBe(dates[1]);
  });

  it('ID-05 RPL-5 covers the plaintext: a retry in a new envelope is the same request', async () => {
    const seal = (body: object) => ({ nonce: newKey(), sealed: Buffer.from(JSON.stringify(body)).toString('base64') });
    const { submit } = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      // As @sallyport/envelope-crypto does: the plaintext takes the place of the envelope before validation.
      app.addHook('preValidation', async (request) => {
        const { sealed } = request.body as { sealed?: string };
        if (sealed !== undefined) request.body = JSON.parse(Buffer.from(sealed, 'base64').toString());
      });
      app.post('/sealed', { config: { idempotency: true } }, async () => ({ data: 1 }));
    });
    const key = newKey();
    const bodies = [seal({ amount: '1' }), seal({ amount: '1' }), { amount: '1' }, seal({ amount: '2' })];
    const answers = [];
    for (const body of bodies) answers.push(await submit({ key, url: '/sealed', body }));
    expect(tally(answers)).toEqual({ done: 1, IDEMPOTENCY_SUBMITTED: 2, IDEMPOTENCY_DIGEST_MISMATCH: 1 });
  });

  it('IDM-4 covers what the handler sees, after coercion and defaults', async () => {
    const schema = {
      body: {
        type: 'object',
        properties: { amount: { type: 'integer' }, currency: { type: 'string', default: 'EUR' } },
      },
      querystring: { type: 'object', properties: { dry: { type: 'boolean' } } },
    };
    const { submit } = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      app.post('/typed', { schema, config: { idempotency: true } }, async () => ({ data: 1 }));
    });
    const key = newKey();
    const answers = [
      await submit({ key, url: '/typed?dry=true', body: { amount: 1 } }),
      await submit({ key, url: '/typed?dry=true', body: { amount: '1', currency: 'EUR' } }),
      await submit({ key, url: '/typed?dry=false', body: { amount: 1 } }),
      await submit({ key, url: '/typed?dry=true', body: { amount: 1, currency: 'CNY' } }),
    ];
    expect(tally(answers)).toEqual({ done: 1, IDEMPOTENCY_SUBMITTED: 1, IDEMPOTENCY_DIGEST_MISMATCH: 2 });
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return fromEntries(Object.entries(value).reverse(), reversed);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return fromEntries(
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)),
    sorted,
  );
}

/** `__proto__` is a member like any other. */
function fromEntries(entries: readonly [string, unknown][], each: (value: unknown) => unknown): object {
  return Object.fromEntries(entries.map(([key, value]) => [key, each(value)]));
}
