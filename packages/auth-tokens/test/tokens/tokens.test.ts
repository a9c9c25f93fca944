import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { generateSigningKey, type SigningKey, type VerificationKey } from '../../src/index.js';
import { closeApps, createTestApp, issuer, signingKey, TestClock } from '../test-app.js';

afterEach(closeApps);

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (segment = '') => JSON.parse(Buffer.from(segment, 'base64url').toString());
const privateKey = createPrivateKey(signingKey.privateKey);

/** A JWT of any header and claims, signed with the server's own key by default. */
function forge(header: object | string, claims: object | string, key: KeyObject = privateKey): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${signBytes(null, Buffer.from(input), key).toString('base64url')}`;
}

/** A server, a live token, and the parts of that token. */
async function withToken() {
  const server = await createTestApp();
  const token = await server.signIn();
  const [header, claims] = token.split('.').map((part, index) => (index < 2 ? decode(part) : part));
  return { ...server, token, header, claims };
}

describe('the token', () => {
  it('TOK-2 has the pinned algorithm, type, key id, issuer, audience, subject, times and session only', async () => {
    const { header, claims, clock } = await withToken();
    const iat = clock.now() / 1000;
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: signingKey.keyId });
    expect(claims).toEqual({
      iss: issuer,
      aud: 'admin',
      sub: 'u-1',
      jti: expect.stringMatching(/^[\w-]{24}$/),
      iat,
      exp: iat + 12 * 3600,
    });
  });

  it('TOK-2 refuses a valid signature with another issuer, audience, type, subject or session', async () => {
    const { code, header, claims } = await withToken();
    expect(await code('/admin', forge(header, claims))).toBe('200');
    const wrong = [
      forge(header, { ...claims, iss: 'https://other.test' }),
      forge(header, { ...claims, iss: [issuer] }),
      forge(header, { ...claims, aud: 'root' }),
      forge(header, { ...claims, aud: ['admin', 'app'] }),
      forge(header, { ...claims, aud: 'toString' }),
      forge(header, { ...claims, sub: '' }),
      forge(header, { ...claims, sub: { toString: 'u-1' } }),
      forge(header, { ...claims, jti: '__proto__' }),
      forge(header, { ...claims, iat: 'now' }),
      forge({ ...header, typ: 'JWT' }, claims),
      forge({ alg: header.alg, kid: header.kid }, claims),
      forge({ ...header, kid: undefined }, claims),
      forge({ ...header, kid: 'other' }, claims),
      forge({ ...header, kid: '__proto__' }, claims),
      ...['iss', 'aud', 'sub', 'jti', 'iat', 'exp'].map((name) => forge(header, { ...claims, [name]: undefined })),
      forge(header, '[]'),
      forge(header, 'null'),
      forge('null', claims),
      forge(header, claims, generateKeyPairSync('ed25519').privateKey),
    ];
    expect(await Promise.all(wrong.map((token) => code('/admin', token)))).toEqual(
      wrong.map(() => '401 TOKEN_INVALID'),
    );
    // A valid signature, for a subject that never had this session.
    expect(await code('/admin', forge(header, { ...claims, sub: 'u-2' }))).toBe('401 SESSION_EXPIRED');
  });

  it('TOK-2 refuses a second text of the same signature', async () => {
    const { code, token } = await withToken();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1) ?? '');
    // 64 bytes leave four spare bits in the last of 86 characters.
    expect(last % 16).toBe(0);
    expect(await code('/admin', token.slice(0, -1) + alphabet[last + 1])).toBe('401 TOKEN_INVALID');
  });

  it('AT-01 refuses alg none in every spelling, an empty signature and missing segments', async () => {
    const { code, header, claims, token } = await withToken();
    const [head, body, signature] = token.split('.');
    const wrong = [
      ...['none', 'None', 'nOnE', 'NONE'].flatMap((alg) => [
        `${encode({ ...header, alg })}.${body}.`,
        `${encode({ ...header, alg })}.${body}.${signature}`,
        forge({ ...header, alg }, claims),
      ]),
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}..${signature}`,
      `${token}.`,
      `.${token}`,
      '..',
      '.',
      'x',
    ];
    expect(await Promise.all(wrong.map((one) => code('/admin', one)))).toEqual(wrong.map(() => '401 TOKEN_INVALID'));
  });

  it('AT-02 refuses a switched algorithm, and an HMAC keyed with the public key', async () => {
    const { code, header, claims } = await withToken();
    const publicKey = createPublicKey(privateKey);
    const texts = [
      signingKey.publicKey,
      signingKey.publicKey.trim(),
      `\n${signingKey.publicKey}`,
      JSON.stringify(publicKey.export({ format: 'jwk' })),
      publicKey.export({ format: 'der', type: 'spki' }),
      Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url'),
    ];
    const wrong = ['HS256', 'HS384', 'HS512', 'RS256', 'ES256', 'PS256'].flatMap((alg) => {
      const input = `${encode({ ...header, alg })}.${encode(claims)}`;
      const hash = `sha${alg.slice(2)}`;
      return [
        ...texts.map((text) => `${input}.${createHmac(hash, text).update(input).digest('base64url')}`),
        forge({ ...header, alg }, claims),
      ];
    });
    expect(await Promise.all(wrong.map((one) => code('/admin', one)))).toEqual(wrong.map(() => '401 TOKEN_INVALID'));
  });

  it('AT-04 refuses critical extensions, reads no key from a header, and knows only its own key ids', async () => {
    const { code, header, claims } = await withToken();
    const attacker = generateKeyPairSync('ed25519');
    const jwk = attacker.publicKey.export({ format: 'jwk' });
    const withAttackersKey = [
      { ...header, jwk },
      { ...header, jku: 'http://127.0.0.1:9/keys' },
      { ...header, x5u: 'http://127.0.0.1:9/keys' },
      { ...header, kid: '../../dev/null' },
      { ...header, kid: "x' UNION SELECT 'key" },
    ].map((one) => forge(one, claims, attacker.privateKey));
    const critical = [['x'], ['exp'], [], 'x', [1]].map((crit) => forge({ ...header, crit, x: 1, exp: 1 }, claims));
    const wrong = [...withAttackersKey, ...critical];
    expect(await Promise.all(wrong.map((one) => code('/admin', one)))).toEqual(wrong.map(() => '401 TOKEN_INVALID'));

    const ignored = forge({ ...header, jku: 'http://127.0.0.1:9/keys', x5u: 'http://127.0.0.1:9/keys', jwk }, claims);
    expect(await code('/admin', ignored)).toBe('200');
  });

  it('AT-06 refuses a token that has expired, is not yet valid, or whose exp is not a whole number', async () => {
    const { code, header, claims, clock } = await withToken();
    const seconds = clock.now() / 1000;
    const body = (exp: string) => JSON.stringify(claims).replace(/"exp":\d+/, `"exp":${exp}`);
    const invalid = [
      ...['"9999999999"', '-1', '1e400', '-1e400', 'null', '9999999999.5', 'true', '[9999999999]', '{}'].map((exp) =>
        forge(header, body(exp)),
      ),
      forge(header, { ...claims, exp: undefined }),
      forge(header, { ...claims, nbf: seconds + 1 }),
      forge(header, { ...claims, nbf: '0' }),
      forge(header, { ...claims, nbf: null }),
    ];
    expect(await Promise.all(invalid.map((one) => code('/admin', one)))).toEqual(
      invalid.map(() => '401 TOKEN_INVALID'),
    );
    const over = [0, seconds - 1, seconds].map((exp) => forge(header, { ...claims, exp }));
    expect(await Promise.all(over.map((one) => code('/admin', one)))).toEqual(over.map(() => '401 SESSION_EXPIRED'));
    expect(await code('/admin', forge(header, { ...claims, nbf: seconds }))).toBe('200');
  });

  it('AT-20 a thousand sign-ins have a thousand session ids of at least 128 random bits', async () => {
    const { app } = await createTestApp();
    const ids = new Set<string>();
    const places = Array.from({ length: 24 }, () => new Set<string>());
    for (let n = 0; n < 1000; n += 1) {
      const { token, sessionId } = await app.authTokens.issue({ subject: `u-${n % 40}`, audience: 'app' });
      const { jti } = decode(token.split('.')[1]);
      expect(Buffer.from(jti, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
      expect(sessionId.startsWith(`${jti}.`)).toBe(true);
      ids.add(jti);
      for (const [place, seen] of places.entries()) seen.add(jti[place]);
    }
    expect(ids.size).toBe(1000);
    // Each place takes nearly all of 64 characters: no part of the id is a counter or a time.
    expect(Math.min(...places.map((seen) => seen.size))).toBeGreaterThan(50);
  });
});

describe('keys', () => {
  const keys: SigningKey[] = [generateSigningKey('EdDSA'), generateSigningKey('ES256'), generateSigningKey('HS256')];

  it.each(keys.map((key) => [key.algorithm, key] as const))('TOK-4 signs and verifies with %s', async (alg, key) => {
    const { signIn, code, get } = await createTestApp({ signingKey: key });
    const token = await signIn();
    expect(decode(token.split('.')[0])).toMatchObject({ alg, typ: 'at+jwt' });
    expect(await code('/admin', token)).toBe('200');
    const [head, body, signature = ''] = token.split('.');
    const flipped = `${head}.${body}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await code('/admin', flipped)).toBe('401 TOKEN_INVALID');
    expect((await get('/admin', flipped)).statusCode).toBe(401);
  });

  it('TOK-4 tokens of earlier keys stay valid during a rotation, and those of a removed key do not', async () => {
    const clock = new TestClock();
    const [first, second, third] = [
      generateSigningKey('EdDSA'),
      generateSigningKey('ES256'),
      generateSigningKey('HS256'),
    ];
    const publicHalf = ({ algorithm, publicKey, keyId }: typeof first | typeof second): VerificationKey => ({
      algorithm,
      publicKey,
      keyId,
    });
    const before = await createTestApp({ signingKey: first }, {}, clock);
    const { store } = before;
    const token = await before.signIn();

    const after = await createTestApp({ store, signingKey: second, verificationKeys: [publicHalf(first)] }, {}, clock);
    const newer = await after.signIn();
    expect([await after.code('/admin', token), await after.code('/admin', newer)]).toEqual(['200', '200']);
    expect(await before.code('/admin', newer)).toBe('401 TOKEN_INVALID');

    const verificationKeys = [publicHalf(second), publicHalf(first)];
    const third1 = await createTestApp({ store, signingKey: third, verificationKeys }, {}, clock);
    expect([await third1.code('/admin', token), await third1.code('/admin', newer)]).toEqual(['200', '200']);

    const retired = await createTestApp({ store, signingKey: second, verificationKeys: [] }, {}, clock);
    expect([await retired.code('/admin', token), await retired.code('/admin', newer)]).toEqual([
      '401 TOKEN_INVALID',
      '200',
    ]);
  });

  it('TOK-4 takes a key as PEM, JWK or KeyObject, with the same id', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const shapes = [
      pair.privateKey,
      pair.privateKey.export({ format: 'jwk' }),
      String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })),
      String(pair.privateKey.export({ format: 'pem', type: 'sec1' })),
    ];
    const ids = await Promise.all(
      shapes.map(async (key) => {
        const { signIn } = await createTestApp({ signingKey: { algorithm: 'ES256', privateKey: key } });
        return decode((await signIn()).split('.')[0]).kid;
      }),
    );
    expect(new Set(ids).size).toBe(1);
    const jwk = { ...pair.privateKey.export({ format: 'jwk' }), kid: 'key-2026' };
    const { signIn } = await createTestApp({ signingKey: { algorithm: 'ES256', privateKey: jwk } });
    expect(decode((await signIn()).split('.')[0]).kid).toBe('key-2026');
  });
});
