import { existsSync, readFileSync } from 'node:fs';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { isExploring } from '../../../../scripts/test-properties.js';
import type { KeyProvider } from '../../src/index.js';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { type Members, type Sealed, seal } from '../sealed-request.js';
import { createService, type Service } from '../service.js';

const invalidBase64url = (
  JSON.parse(readFileSync(new URL('../vectors/base64url_strict.json', import.meta.url), 'utf8')) as {
    vectors: { b64url: string; valid: boolean }[];
  }
).vectors.filter(({ valid }) => !valid);

let service: Service;
let handled: { query: unknown; body: unknown }[];

beforeAll(async () => {
  service = await createService({
    routes(app) {
      app.all('/echo', async ({ query, body }) => {
        handled.push({ query, body });
        return { data: { query, body } };
      });
      app.post('/other', async () => ({ data: null }));
    },
  });
});

afterAll(() => service.app.close());

beforeEach(() => {
  handled = [];
});

function expectRefusal(response: LightMyRequestResponse, code: string, status = 400): void {
  expect(response.json()).toMatchObject({ code, status });
  expect(response.statusCode).toBe(status);
  expect(response.headers).not.toHaveProperty('api-encryption');
  expect(handled).toEqual([]);
}

/** The unchanged envelope still works, once: no attempt used up its nonce. */
async function expectStillGood(sealed: Sealed): Promise<void> {
  expect(await sealed.send()).toMatchObject({ statusCode: 200 });
  expect(await sealed.send()).toMatchObject({ statusCode: 400 });
}

describe('an envelope that is moved, edited or taken apart', () => {
  it('EC-05 is refused when the header announces it and the body is plaintext', async () => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'api-encryption': 'v1' },
      payload: { amount: 1 },
    });
    expectRefusal(response, 'ENVELOPE_MALFORMED');
  });

  it('EC-09 is refused with plaintext members beside its own', async () => {
    const sealed = seal(service, { body: { amount: 1 } });
    expectRefusal(await sealed.send({ members: { ...sealed.members, amount: 2 } }), 'ENVELOPE_MALFORMED');
    await expectStillGood(sealed);
  });

  it('EC-11 is refused with __enc twice, with and without the header', async () => {
    const one = seal(service, { method: 'GET' });
    const other = seal(service, { method: 'GET' });
    const query = `${one.request().url!.toString().slice('/echo'.length)}&__enc=${Buffer.from(JSON.stringify(other.members)).toString('base64url')}`;
    expectRefusal(await one.send({ query }), 'ENVELOPE_MALFORMED');
    expectRefusal(await one.send({ query, headers: { 'api-encryption': undefined } }), 'ENVELOPE_REQUIRED');
    await expectStillGood(one);
    handled = [];
    await expectStillGood(other);
  });

  it('EC-13 is refused with another envelope in the body, and neither is used up', async () => {
    const inQuery = seal(service, { carrier: 'query' });
    const inBody = seal(service);
    const request = { ...inBody.request(), url: inQuery.request().url! };
    expectRefusal(await service.app.inject(request), 'ENVELOPE_MALFORMED');
    await expectStillGood(inQuery);
    handled = [];
    await expectStillGood(inBody);
  });

  it('EC-14 is refused under another method', async () => {
    const sealed = seal(service);
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      expectRefusal(await sealed.send({ method }), 'ENVELOPE_REJECTED');
    }
    await expectStillGood(sealed);
  });

  it('EC-15 is refused on another path', async () => {
    const sealed = seal(service);
    expectRefusal(await sealed.send({ path: '/other' }), 'ENVELOPE_REJECTED');
    await expectStillGood(sealed);
  });

  it.each(['/%65cho', '//echo', '/echo/', '/Echo'])(
    'EC-15 is refused on %s, another spelling of its path',
    async (path) => {
      const sealed = seal(service);
      expectRefusal(await sealed.send({ path }), 'ENVELOPE_REJECTED');
      await expectStillGood(sealed);
    },
  );

  it('EC-17 is refused with another timestamp or nonce, and the edited nonce is not stored', async () => {
    const sealed = seal(service);
    const { ts, nonce } = sealed.members as { ts: number; nonce: string };
    const edited = `${nonce.startsWith('A') ? 'B' : 'A'}${nonce.slice(1)}`;
    expectRefusal(await sealed.send({ members: { ...sealed.members, ts: ts + 1 } }), 'ENVELOPE_REJECTED');
    expectRefusal(await sealed.send({ members: { ...sealed.members, nonce: edited } }), 'ENVELOPE_REJECTED');
    expect(service.store.claimed).not.toContain(`test-key:${edited}`);
    await expectStillGood(sealed);
  });

  it('EC-18 is refused with a flipped bit of ciphertext or tag, and shows nothing of the plaintext', async () => {
    const secret = 'the-secret-of-EC-18';
    const sealed = seal(service, { body: { secret } });
    const ct = Buffer.from(String(sealed.members.ct), 'base64url');
    const bits = [0, (ct.length - 16) * 4, (ct.length - 16) * 8 - 1, (ct.length - 16) * 8, ct.length * 8 - 1];
    for (const bit of bits) {
      const flipped = Buffer.from(ct);
      flipped[bit >> 3]! ^= 0x80 >> (bit & 7);
      const response = await sealed.send({ members: { ...sealed.members, ct: flipped.toString('base64url') } });
      expectRefusal(response, 'ENVELOPE_REJECTED');
      expect(response.body).not.toContain(secret);
    }
    expect(service.log.join()).not.toContain(secret);
    await expectStillGood(sealed);
  });

  it.each([0, 8, 11, 13, 16])('EC-21 is refused with an IV of %i bytes', async (bytes) => {
    const sealed = seal(service);
    const iv = Buffer.alloc(bytes).toString('base64url');
    expectRefusal(await sealed.send({ members: { ...sealed.members, iv } }), 'ENVELOPE_MALFORMED');
  });

  it.each([0, 1, 15, 17, 32])('EC-24 is refused with a wrapped key of %i bytes', async (bytes) => {
    const sealed = seal(service);
    // SM2 adds 97 bytes, so the length of a wrapped key reveals the length of the key.
    const ek = Buffer.concat([Buffer.from([4]), Buffer.alloc(96 + bytes, 7)]).toString('base64url');
    expectRefusal(await sealed.send({ members: { ...sealed.members, ek } }), 'ENVELOPE_MALFORMED');
  });

  it.each(['__proto__', 'constructor', 'TEST-KEY', 'test-key-2', 'toString'])(
    'EC-25 is refused under the unknown key id %s',
    async (kid) => {
      const members = { ...seal(service).members };
      Object.defineProperty(members, 'kid', { value: kid, enumerable: true });
      expectRefusal(await seal(service).send({ members }), 'ENVELOPE_KEY_UNKNOWN');
    },
  );

  it.each([undefined, '', ['test-key'], 'k'.repeat(10_000), 'test key', null, 7])(
    'EC-25 is refused with %j for a key id',
    async (kid) => {
      const sealed = seal(service);
      expectRefusal(await sealed.send({ members: { ...sealed.members, kid } }), 'ENVELOPE_MALFORMED');
    },
  );

  it.each(['v2', 'V1', 'v1 ', ' v1', 'v1;v1', 'none', '1', '', 'sm2-sm4-gcm-v1'])(
    'EC-26 is refused with the header %j',
    async (version) => {
      const sealed = seal(service);
      // No client library trims it here. Over a socket, Node.js trims the white space around a value.
      expectRefusal(await sealed.send({ headers: { 'api-encryption': version } }), 'ENVELOPE_VERSION_UNSUPPORTED');
      await expectStillGood(sealed);
    },
  );

  it('EC-26 is refused without the header, and with it twice', async () => {
    const sealed = seal(service);
    expectRefusal(await sealed.send({ headers: { 'api-encryption': undefined } }), 'ENVELOPE_REQUIRED');
    expectRefusal(await sealed.send({ headers: { 'api-encryption': ['v1', 'v1'] } }), 'ENVELOPE_VERSION_UNSUPPORTED');
    await expectStillGood(sealed);
  });

  it.each(['nonce', 'ek', 'iv', 'ct'])(
    'EC-29 is refused with a text in %s that is not strict base64url',
    async (name) => {
      const sealed = seal(service);
      const right = String(sealed.members[name]);
      const wrong = [
        ...invalidBase64url.map(({ b64url }) => b64url),
        ...[
          `${right}=`,
          `${right}==`,
          ` ${right}`,
          `${right}\n`,
          `${right.slice(0, -1)}+`,
          `${right.slice(0, -1)}/`,
          `\u0000${right}`,
        ],
        // The same bytes with unused bits set, which Buffer accepts.
        ...(right.length % 4 === 0 ? [] : [`${right.slice(0, -1)}${nextCharacter(right.at(-1)!)}`]),
      ];
      for (const text of wrong) {
        expectRefusal(await sealed.send({ members: { ...sealed.members, [name]: text } }), 'ENVELOPE_MALFORMED');
      }
      await expectStillGood(sealed);
    },
  );

  it.each(['kid', 'ts', 'nonce', 'ek', 'iv', 'ct'])('EC-30 is refused with another type in %s', async (name) => {
    const sealed = seal(service);
    const others = [null, true, [], {}, undefined, name === 'ts' ? '1763700000000' : 7, -1, 1.5, 2 ** 53];
    for (const value of others) {
      const response = await sealed.send({ members: { ...sealed.members, [name]: value } });
      expectRefusal(response, 'ENVELOPE_MALFORMED');
    }
    const twice = JSON.stringify(sealed.members).replace(/}$/, `,${JSON.stringify(name)}:null}`);
    expectRefusal(await sealed.send({ text: twice }), 'ENVELOPE_MALFORMED');
    await expectStillGood(sealed);
  });

  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"v1"'],
    ['half of JSON', '{"kid":"test-key"'],
    ['deep nesting', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
    ['nested members', `{"kid":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a byte order mark', '\ufeff{}'],
  ])('EC-30 is refused when it is %s', async (_, text) => {
    expectRefusal(await seal(service).send({ text }), 'ENVELOPE_MALFORMED');
  });

  it('EC-31 reaches the handler as plain JSON if it was inside another envelope', async () => {
    const inner = seal(service, { body: { amount: 1 } });
    const outer = seal(service, { body: inner.members });
    const response = await outer.send();
    expect(JSON.parse(outer.open(response))).toEqual({ data: { query: {}, body: inner.members } });
    handled = [];
    await expectStillGood(inner);
  });

  it('EC-33 can’t carry a polluted prototype in its own members', async () => {
    const sealed = seal(service);
    const text = JSON.stringify(sealed.members).replace(/^{/, '{"__proto__":{"kid":"x"},');
    expectRefusal(await sealed.send({ text }), 'ENVELOPE_MALFORMED');
    expect(({} as Members).kid).toBeUndefined();
  });
});

function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(character) + 1]!;
}

describe('smuggled headers', () => {
  it.each(['authorization', 'idempotency-key', 'content-type'])('EC-30 refuses %s in two lines', async (name) => {
    const sealed = seal(service);
    const value = name === 'content-type' ? 'application/json' : 'Bearer abc';
    expectRefusal(await sealed.send({ headers: { [name]: [value, value] } }), 'ENVELOPE_MALFORMED');
    await expectStillGood(sealed);
  });

  it.each(['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'multipart/form-data', '', 'json'])(
    'EC-05 refuses the content type %j',
    async (contentType) => {
      const sealed = seal(service);
      expectRefusal(await sealed.send({ headers: { 'content-type': contentType } }), 'ENVELOPE_MALFORMED');
      await expectStillGood(sealed);
    },
  );

  it('EC-05 accepts a content type with parameters, in any case', async () => {
    const sealed = seal(service);
    const response = await sealed.send({ headers: { 'content-type': 'Application/JSON; charset=utf-8' } });
    expect(response.statusCode).toBe(200);
  });

  it.each(['gzip', 'identity', ''])('EC-05 refuses the content encoding %j', async (contentEncoding) => {
    const sealed = seal(service);
    expectRefusal(await sealed.send({ headers: { 'content-encoding': contentEncoding } }), 'ENVELOPE_MALFORMED');
    await expectStillGood(sealed);
  });

  it.each([
    ['a'.repeat(255), 200],
    ['a'.repeat(256), 400],
    ['ü', 400],
    ['a b', 400],
    ['-', 400],
    ['--', 200],
  ])('ENV-1 binds an Idempotency-Key of visible ASCII: %j', async (idempotencyKey, status) => {
    expect(await seal(service, { idempotencyKey }).send()).toMatchObject({ statusCode: status });
  });

  it('ENV-1 is bound to its token and its Idempotency-Key', async () => {
    const sealed = seal(service, { token: 'one', idempotencyKey: 'two' });
    expectRefusal(await sealed.send({ headers: { authorization: 'Bearer other' } }), 'ENVELOPE_REJECTED');
    expectRefusal(await sealed.send({ headers: { authorization: undefined } }), 'ENVELOPE_REJECTED');
    expectRefusal(await sealed.send({ headers: { authorization: 'Basic one' } }), 'ENVELOPE_REJECTED');
    expectRefusal(await sealed.send({ headers: { 'idempotency-key': 'other' } }), 'ENVELOPE_REJECTED');
    expectRefusal(await sealed.send({ headers: { 'idempotency-key': undefined } }), 'ENVELOPE_REJECTED');
    await expectStillGood(sealed);
  });
});

describe('EC-28 the maximum size', () => {
  it('accepts ct of exactly max-payload-bytes, and refuses one byte more before any key is used', async () => {
    let unwrapped = 0;
    const d = crypto.getRandomValues(new Uint8Array(32)).map((byte, i) => (i === 0 ? 1 : byte));
    const keyProvider: KeyProvider = {
      keyId: 'counted',
      publicKey: Buffer.from(sm2Sm4GcmV1.publicKeyOf(d)).toString('hex'),
      async unwrap(_, ciphertext) {
        unwrapped++;
        return sm2Sm4GcmV1.unwrapBaseKey(d, ciphertext);
      },
    };
    const limited = await createService({
      crypto: { keyProvider, maxPayloadBytes: 2000 },
      routes: (app) => app.post('/echo', async () => ({ data: null })).get('/echo', async () => ({ data: null })),
    });
    const json = (bytes: number) => JSON.stringify('x'.repeat(bytes - 3));
    expect(await seal(limited, { body: json(2000) }).send()).toMatchObject({ statusCode: 200 });
    expect(await seal(limited, { method: 'GET', query: 'q'.repeat(2000) }).send()).toMatchObject({ statusCode: 200 });
    expect(unwrapped).toBe(2);
    expectRefusal(await seal(limited, { body: json(2001) }).send(), 'ENVELOPE_TOO_LARGE', 413);
    expectRefusal(await seal(limited, { method: 'GET', query: 'q'.repeat(2001) }).send(), 'ENVELOPE_TOO_LARGE', 413);
    expect(unwrapped).toBe(2);
    await limited.app.close();
  });
});

const naughtyFile = new URL('../../../../../shared/vectors/naughty_strings.json', import.meta.url);

describe.skipIf(lacks('shared-vectors'))('naughty strings (in ../shared/vectors)', () => {
  let quiet: Service;

  beforeAll(async () => {
    quiet = await createService({
      server: { logger: false },
      routes: (app) => app.post('/echo', async ({ query, body }) => ({ data: { query, body } })),
    });
  });

  afterAll(() => quiet.app.close());

  const strings = (): string[] =>
    existsSync(naughtyFile)
      ? (JSON.parse(readFileSync(naughtyFile, 'utf8')) as { vectors: { b64: string }[] }).vectors.map(({ b64 }) =>
          Buffer.from(b64, 'base64').toString(),
        )
      : [];

  // Each is one member's; `pnpm test:explore` gives each to every member.
  it.each(['kid', 'ts', 'nonce', 'ek', 'iv', 'ct'].map((name, turn, { length }) => ({ name, turn, length })))(
    'EC-30 none is accepted as $name, and none breaks anything',
    async ({ name, turn, length }) => {
      const sealed = seal(quiet);
      const isOwn = (_: string, i: number) => isExploring || i % length === turn;
      for (const value of strings().filter(isOwn)) {
        const response = await sealed.send({ members: { ...sealed.members, [name]: value } });
        expect(response.statusCode).toBe(400);
        const expected =
          name === 'kid' && /^[A-Za-z0-9._-]{1,64}$/.test(value) ? 'ENVELOPE_KEY_UNKNOWN' : 'ENVELOPE_MALFORMED';
        expect(response.json()).toMatchObject({ code: expected });
      }
      await expectStillGood(sealed);
    },
  );

  it('ENV-5 every one passes the envelope unchanged, in query and body', async () => {
    for (const text of strings().filter((_, i) => i % 7 === 0)) {
      const sealed = seal(quiet, { query: `q=${encodeURIComponent(text)}`, body: { value: text } });
      const response = await sealed.send();
      expect(JSON.parse(sealed.open(response))).toEqual({ data: { query: { q: text }, body: { value: text } } });
    }
  });
});
