import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createMemoryStore, createStoreClock, MAX_TTL_MILLIS } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import authTokens, { type AuthTokensOptions, AuthTokensSetupError, generateSigningKey } from '../src/index.js';
import { closeApps, createTestApp, issuer, openApp, signingKey } from './test-app.js';

afterEach(closeApps);

/** `started`, or the error message. */
async function start(options: Record<string, unknown>): Promise<string> {
  const app = openApp();
  const whole = { store: createMemoryStore(), issuer, signingKey, ...options } as unknown as AuthTokensOptions;
  try {
    await app.register(authTokens, whole);
    await app.ready();
    return 'started';
  } catch (error) {
    return (error as Error).message;
  }
}

const refusalOf = (start: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(start).then(
    () => null,
    (error: unknown) => error,
  );

const withLifetime = (idleSeconds: unknown, absoluteSeconds: unknown = 3600) => ({
  audiences: { admin: { idleSeconds, absoluteSeconds } },
});

describe('options', () => {
  it('TOK-4 starts with a store, an issuer and a key, and treats undefined as not given', async () => {
    expect(await start({})).toBe('started');
    expect(await start({ audiences: undefined, now: undefined, permissions: undefined, keyPrefix: undefined })).toBe(
      'started',
    );
  });

  it('AT-24 TOK-5 TOK-12 refuses every lifetime that is not a whole number of seconds in range', async () => {
    const wrong = [
      '1 month',
      'P1D',
      ' 1h ',
      '1,5h',
      '3600',
      0,
      1,
      59,
      -1,
      60.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      null,
      true,
      // Dynamic values are for the option `lifetimes`.
      () => 60,
    ];
    for (const value of [...wrong, 365 * 86_400 + 1, [60], { seconds: 60 }]) {
      expect(await start(withLifetime(value))).toBe(
        'auth-tokens: audiences.admin.idleSeconds must be a whole number of seconds from 60 to 31536000',
      );
      expect(await start(withLifetime(60, value))).toBe(
        'auth-tokens: audiences.admin.absoluteSeconds must be a whole number of seconds from 60 to 31536000',
      );
    }
    expect(await start(withLifetime(undefined))).toContain('audiences.admin.idleSeconds is required');
    expect(await start({ audiences: { admin: { idleSeconds: 60 } } })).toContain(
      'audiences.admin.absoluteSeconds is required: a whole number of seconds',
    );
    expect(await start(withLifetime(3601, 3600))).toContain('idleSeconds must not exceed absoluteSeconds');
    expect(await start(withLifetime(60, 365 * 86_400))).toBe('started');
    expect(365 * 86_400 * 1000).toBeLessThanOrEqual(MAX_TTL_MILLIS);
  });

  it('AT-25 TOK-4 refuses a missing, short, repeated, sample or guessable secret without printing it', async () => {
    const sample = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow';
    const weak: [unknown, string][] = [
      [undefined, 'must be a text or bytes'],
      [null, 'must be a text or bytes'],
      [12_345, 'must be a text or bytes'],
      ['', 'fewer than 32 bytes'],
      ['secret', 'fewer than 32 bytes'],
      ['changeme', 'fewer than 32 bytes'],
      [randomBytes(31), 'fewer than 32 bytes'],
      [randomBytes(15).toString('hex'), 'fewer than 32 bytes'],
      // Not drawn: one text in some thousands is short of distinct characters, and refused for that.
      ['3f9c1e7a5b2d8046a1c7e93f5d08b264', 'fewer than 256 random bits'],
      ['kJ8s0Qv3Zx1mN7bT5rYw2LpE9cUaHfGd', 'fewer than 256 random bits'],
      ['correct-horse-battery-staple-42', 'fewer than 32 bytes'],
      ['it was the best of times, it was the', 'fewer than 256 random bits'],
      ['a-string-secret-at-least-256-bits-long', 'is a sample secret'],
      ['your-256-bit-secret-your-256-bit-secret', 'is a sample secret'],
      ['please-ChangeMe-please-ChangeMe-0123456789', 'is a sample secret'],
      ['sallyport-dev-sallyport-dev-sallyport-dev', 'is a sample secret'],
      [sample, 'is a sample secret'],
      [Buffer.from(sample, 'base64url'), 'is a sample secret'],
      ['0'.repeat(64), 'is not random'],
      ['k3Zq9vXw'.repeat(8), 'is not random'],
      [Buffer.alloc(32), 'is not random'],
      [Buffer.from(Array.from({ length: 64 }, (_, n) => n)), 'is not random'],
      [Buffer.concat([randomBytes(16)].flatMap((block) => [block, block])), 'is not random'],
    ];
    for (const [secret, why] of weak) {
      const message = await start({ signingKey: { algorithm: 'HS256', secret } });
      expect([why, message]).toEqual([why, expect.stringContaining(`signingKey: secret`)]);
      expect(message).toContain(why);
      expect(message).toContain('openssl rand -base64 32');
      if (typeof secret === 'string' && secret.length > 8) expect(message).not.toContain(secret);
    }
    expect(await start({ signingKey: undefined })).toContain('signingKey is required: an object with `algorithm`');
    expect(await start({ signingKey: 'secret' })).toContain('signingKey must be an object with `algorithm` and a key');
    expect(await start({ verificationKeys: [null] })).toContain('verificationKeys[0]: must be an object');
  });

  it('TOK-4 accepts every random secret', async () => {
    for (let round = 0; round < cases(200); round += 1) {
      const bytes = randomBytes(32);
      const secrets = [bytes, ...(['hex', 'base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding))];
      const secret = secrets[round % secrets.length] as Buffer;
      expect(await start({ signingKey: { algorithm: 'HS256', secret } })).toBe('started');
    }
    // 32 random bytes whose base64 text has no digit: rare, but valid.
    const undigited = 'kQvZ+TbWmXrYpLdSgHcNfJzRtVaBxMqKwPyUeIoEsDg=';
    expect(await start({ signingKey: { algorithm: 'HS256', secret: undigited } })).toBe('started');
    for (const algorithm of ['EdDSA', 'ES256'] as const) {
      const generated = JSON.parse(JSON.stringify(generateSigningKey(algorithm)));
      expect(generated).toMatchObject({ algorithm, keyId: expect.any(String) });
      expect(await start({ signingKey: generated })).toBe('started');
    }
    expect(generateSigningKey().algorithm).toBe('EdDSA');
    expect(await start({ signingKey: JSON.parse(JSON.stringify(generateSigningKey('HS256'))) })).toBe('started');
  });

  it('AT-25 TOK-4 refuses sample keys and keys of the wrong kind, curve or half without printing them', async () => {
    const pem = (key: { export(options: object): unknown }, type: string) =>
      String(key.export({ format: 'pem', type }));
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const k256 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ed448 = generateKeyPairSync('ed448');
    const ed25519 = generateKeyPairSync('ed25519');
    const encrypted = ed25519.privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    });
    const rfc8037 = {
      kty: 'OKP',
      crv: 'Ed25519',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    };
    const wrong: [object, string][] = [
      [{ algorithm: 'ES256', privateKey: pem(p384.privateKey, 'pkcs8') }, 'ES256 needs a key on P-256'],
      [{ algorithm: 'ES256', privateKey: k256.privateKey }, 'ES256 needs a key on P-256'],
      [{ algorithm: 'ES256', privateKey: ed25519.privateKey }, 'ES256 needs a key on P-256'],
      [{ algorithm: 'ES256', privateKey: pem(rsa.privateKey, 'pkcs1') }, 'ES256 needs a key on P-256'],
      [{ algorithm: 'EdDSA', privateKey: ed448.privateKey }, 'EdDSA needs a key on Ed25519'],
      [{ algorithm: 'EdDSA', privateKey: pem(ed25519.publicKey, 'spki') }, "privateKey can't be read"],
      [{ algorithm: 'EdDSA', privateKey: ed25519.publicKey }, 'privateKey must be a private key'],
      [{ algorithm: 'EdDSA', privateKey: encrypted }, "privateKey can't be read"],
      [{ algorithm: 'EdDSA', privateKey: 'secret' }, "privateKey can't be read"],
      [{ algorithm: 'EdDSA', privateKey: {} }, "privateKey can't be read"],
      [{ algorithm: 'EdDSA' }, "privateKey can't be read"],
      [{ algorithm: 'EdDSA', privateKey: rfc8037 }, 'is a sample key'],
      [{ algorithm: 'RS256', privateKey: rsa.privateKey }, "algorithm must be 'EdDSA', 'ES256' or 'HS256'"],
      [{ algorithm: 'none' }, 'algorithm must be'],
      [{ algorithm: 'toString', privateKey: ed25519.privateKey }, 'algorithm must be'],
      [{ ...signingKey, keyId: '' }, 'keyId must have 1 to 64 characters'],
      [{ ...signingKey, keyId: '../../dev/null' }, 'keyId must have 1 to 64 characters'],
    ];
    for (const [key, why] of wrong) {
      const message = await start({ signingKey: key });
      expect([why, message]).toEqual([why, expect.stringContaining('signingKey: ')]);
      expect(message).toContain(why);
      expect(message).not.toMatch(/BEGIN|nWGx|11qY/);
    }
    const asVerifier = (key: object) => start({ verificationKeys: [key] });
    expect(await asVerifier({ algorithm: 'EdDSA', publicKey: ed25519.privateKey })).toContain('holds a private key');
    expect(await asVerifier({ algorithm: 'EdDSA', publicKey: pem(ed25519.privateKey, 'pkcs8') })).toContain(
      'holds a private key',
    );
    expect(await asVerifier({ algorithm: 'EdDSA', publicKey: rfc8037 })).toContain(
      'verificationKeys[0]: publicKey holds a private key',
    );
    expect(await asVerifier({ algorithm: 'ES256', publicKey: p384.publicKey })).toContain('ES256 needs a key on P-256');
    const { algorithm, publicKey } = signingKey;
    expect(await asVerifier({ algorithm, publicKey })).toContain('each key must have its own keyId');
    expect(await asVerifier({ algorithm: 'EdDSA', publicKey: ed25519.publicKey })).toBe('started');
  });

  it('ADP-1 TOK-4 TOK-8 TOK-9 names every fault at once', async () => {
    const message = await start({
      store: { get: () => {} },
      issuer: '',
      signingKey: { algorithm: 'HS256', secret: 'secret' },
      verificationKeys: 'none',
      audiences: { public: { idleSeconds: 60, absoluteSeconds: 60 }, 'a:b': null },
      lifetimes: { admin: { idleSeconds: 60, absoluteSeconds: 60 } },
      maxSessionsPerSubject: 0,
      maxOpenConnections: 1001,
      permissions: ['api:*'],
      loadPermissions: true,
      ticketPurposes: ['down load'],
      allowQueryToken: 'false',
      keyPrefix: '\0',
      clock: Date,
      now: 0,
      allowQueryTokens: true,
    });
    for (const expected of [
      'auth-tokens:\n- ',
      'allowQueryTokens is not an option; did you mean allowQueryToken?',
      'store must be a store with get, compareAndSet, setIfAbsent, take and time',
      'issuer must be the name of this deployment, 1 to 200 characters',
      'signingKey: secret has fewer than 32 bytes',
      'verificationKeys must be a list',
      'audiences.public is not the name of an audience',
      'audiences.a:b is not the name of an audience',
      'audiences.a:b must be an object of options',
      'lifetimes must be a function',
      'maxSessionsPerSubject must be a whole number of sessions from 1 to 100',
      'maxOpenConnections must be a whole number of connections from 1 to 1000',
      'permissions must be a list of codes',
      'loadPermissions must be a function',
      "ticketPurposes must be a list of names such as 'download', or an object from names to permissions",
      'allowQueryToken must be true or false',
      'keyPrefix must be a string of 1 to 100 bytes',
      'clock must be a clock made by createStoreClock',
      'now must be a function',
    ]) {
      expect(message).toContain(expected);
    }
    const clock = createStoreClock({ store: createMemoryStore() });
    expect(await start({ clock, now: Date.now })).toBe(
      'auth-tokens: now must be given to createStoreClock if clock is given',
    );
    const purposes = { permissions: ['a:b'], ticketPurposes: { download: 'a:c', preview: 'a:b', 'x y': null } };
    expect(await start(purposes)).toContain('ticketPurposes must be');
    const { 'x y': _unnameable, ...named } = purposes.ticketPurposes;
    expect(await start({ ...purposes, ticketPurposes: named })).toBe(
      [
        'auth-tokens:',
        '- ticketPurposes.download must be null, a function or a code of the option permissions',
        '- ticketPurposes.preview needs the option loadPermissions',
      ].join('\n'),
    );
    const byAudience = { download: { admin: 'a:c', web: null, app: () => true } };
    expect(await start({ ...purposes, loadPermissions: () => [], ticketPurposes: byAudience })).toBe(
      [
        'auth-tokens:',
        '- ticketPurposes.download.admin must be null, a function or a code of the option permissions',
        '- ticketPurposes.download.web is not one of the option audiences',
      ].join('\n'),
    );
    expect(await start({ ...purposes, ticketPurposes: 'download' })).toContain('ticketPurposes must be');
    const noAudience = 'auth-tokens: audiences must be an object that names at least one audience';
    expect(await start({ audiences: {} })).toBe(noAudience);
    expect(await start({ audiences: null })).toBe(noAudience);
  });

  it('ADP-1 refuses unknown names in an audience too, and carries a code', async () => {
    const app = openApp();
    const audiences = { admin: { idleSecond: 60, absoluteSeconds: 60 } } as never;
    const error = await refusalOf(
      app.register(authTokens, { store: createMemoryStore(), issuer, signingKey, audiences }),
    );
    expect(error).toBeInstanceOf(AuthTokensSetupError);
    expect(error).toMatchObject({
      code: 'AUTH_TOKENS_SETUP_INVALID',
      subject: 'auth-tokens',
      faults: [
        'audiences.admin.idleSecond is not an option; did you mean audiences.admin.idleSeconds?',
        'audiences.admin.idleSeconds is required: a whole number of seconds from 60 to 31536000',
      ],
    });
    // What Fastify's `register` itself takes is no fault.
    expect(await start({ prefix: '/x', logLevel: 'warn' })).toBe('started');
  });

  it('ADP-1 TOK-4 a key is generated for a known algorithm only', () => {
    expect(() => generateSigningKey('RS256' as never)).toThrow(AuthTokensSetupError);
    expect(() => generateSigningKey('RS256' as never)).toThrow(
      "generateSigningKey: algorithm must be 'EdDSA', 'ES256' or 'HS256'",
    );
  });

  it('TOK-5 later changes of the audiences are ignored: they would be unchecked', async () => {
    const admin = { idleSeconds: 60, absoluteSeconds: 60 };
    const { code, signIn } = await createTestApp({ audiences: { admin, app: { ...admin } } });
    admin.idleSeconds = Number.NaN;
    expect(await code('/admin', await signIn())).toBe('200');
  });

  it('AT-24 every token has an exp, at the end of the absolute lifetime', async () => {
    const { app, clock } = await createTestApp({
      audiences: { admin: { idleSeconds: 60, absoluteSeconds: 90 }, app: { idleSeconds: 60, absoluteSeconds: 60 } },
    });
    clock.millis += 789;
    const { token, expiresAt } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(exp).toBe(Math.floor(clock.now() / 1000) + 90);
    expect(expiresAt).toBe(exp * 1000);
  });
});
