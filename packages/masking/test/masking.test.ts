import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { MASK_LIMITS, maskSensitive, maskText, SENSITIVE_NAMES } from '../src/index.js';

describe('texts of ordinary characters', () => {
  const ordinary = fc.string({
    unit: fc.constantFrom(...'aAeEyYJ0189/._-', 'eyJ', '139', '86', '0000', 'password'),
    maxLength: 16,
  });

  it('AUD-3 the fast path agrees with the patterns: a blank and a bracket after the text change nothing', () => {
    fc.assert(
      fc.property(ordinary, (text) => {
        // Neither is an ordinary character, and no pattern matches across a bracket.
        expect(`${maskText(text)} [`).toBe(maskText(`${text} [`));
      }),
      { numRuns: cases(2000) },
    );
  });

  it('AUD-3 tokens and mobile numbers of ordinary characters are masked', () => {
    expect(maskText('eyJhbGciOiJFZERTQSJ9.e30.c2ln')).toBe('[masked]');
    expect(maskText('call/13912345678')).toBe('call/139****5678');
  });
});

describe('by name', () => {
  it.each([
    'password',
    'PASSWORD',
    'oldPassword',
    'new_password',
    'password-hash',
    'Pass Word',
    'ｐａｓｓｗｏｒｄ',
    'token',
    'accessToken',
    'access_token',
    'X-Refresh-Token',
    'tokens',
    'smsCode',
    'sms_code',
    'SMSCODE',
    'code',
    'Code',
    'key',
    'KEY',
    'Authorization',
    'proxy-authorization',
    'Set-Cookie',
    'privateKey',
    'api_key',
    'clientSecret',
    'ticket',
    '__enc',
    'pin',
    'otp',
    'handle',
    'proof',
    '密码',
    '验证码',
  ])('AUD-3 AU-07 masks any value under the name %j', (name) => {
    for (const value of ['hunter2', 123456, ['hunter2'], { deep: 'hunter2' }, 12n])
      expect(maskSensitive({ [name]: value })).toEqual({ [name]: '[masked]' });
    expect(maskSensitive({ [name]: null, ok: { [name]: true } })).toEqual({ [name]: null, ok: { [name]: true } });
  });

  it('AUD-3 keeps values that are not secret', () => {
    const plain = {
      username: 'anna',
      displayName: 'Anna',
      errorCode: 'E1',
      countryCode: 'DE',
      sortKey: 'name',
      amount: '12.50',
      monkey: 'no',
      id: '018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e',
      pinned: false,
      compass: 'N',
      version: 3,
    };
    expect(maskSensitive(plain)).toEqual(plain);
  });

  it('AUD-3 keeps the code of an error and the key of a parameter, and masks similar secrets', () => {
    const open = { code: 'LOGIN_FAILED', inner: { key: 'admin.auth.login.lock-seconds' } };
    expect(maskSensitive(open)).toEqual(open);
    for (const code of ['123456', 'AB3D9', 'LOGIN', 'abc_def', 'A_B\n'])
      expect(maskSensitive({ code, smsCode: 'LOGIN_FAILED' })).toEqual({ code: '[masked]', smsCode: '[masked]' });
    for (const key of ['018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e', 'aB3xK9', 'abc', 'a.b'])
      expect(maskSensitive({ key })).toEqual({ key: '[masked]' });
  });

  it('AUD-1 says at its end that a text was cut, and says it again unchanged', () => {
    const whole = 'a '.repeat(500);
    expect(maskSensitive({ list: whole })).toEqual({ list: whole });
    const hidden = `203.0.113.0/24${' '.repeat(1000)},0.0.0.0/0`;
    for (const text of [`${whole}b`, hidden, '\n'.repeat(400), 'x'.repeat(50_000), `${'b '.repeat(600)}password=x`]) {
      const kept = maskSensitive({ list: text }) as { list: string };
      expect(kept.list).toMatch(/\[cut\]$/);
      expect(kept.list.length).toBeLessThanOrEqual(1000);
      expect(maskSensitive(kept)).toEqual(kept);
    }
  });

  it('AUD-1 keeps both of two permissions, and masks what follows a name with a prefix', () => {
    for (const second of ['*', 'api:payments:*', 'api:admin:roles:update']) {
      const permissions = ['api:admin:administrators:reset-password', second];
      expect(maskSensitive({ permissions })).toEqual({ permissions });
    }
    expect(maskSensitive(['wsse:Password', 'hunter2'])).toEqual(['wsse:Password', '[masked]']);
  });

  it('AUD-3 AU-07 masks a value with its name beside it, and keeps the numbers of settings', () => {
    expect(
      maskSensitive([
        { name: 'password', value: 'hunter2' },
        { field: 'Sms-Code', value: 123456, label: 'Code' },
        { key: 'sms.gateway.secret', oldValue: 'old', newValue: { deep: 'new' }, version: 3 },
        { key: 'auth.password.min-length', oldValue: 8, newValue: 12 },
        { name: 'colour', value: 'red' },
        ['token', 'hunter2'],
        ['colour', 'red'],
      ]),
    ).toEqual([
      { name: 'password', value: '[masked]' },
      { field: 'Sms-Code', value: '[masked]', label: 'Code' },
      { key: 'sms.gateway.secret', oldValue: '[masked]', newValue: '[masked]', version: 3 },
      { key: 'auth.password.min-length', oldValue: 8, newValue: 12 },
      { name: 'colour', value: 'red' },
      ['token', '[masked]'],
      ['colour', 'red'],
    ]);
  });

  it('AUD-3 AU-07 masks a whole line of cookies or credentials with several parts', () => {
    expect(maskText('GET / HTTP/1.1\r\nCookie: theme=dark; sid=hunter2; c=3\r\nHost: a')).toBe(
      'GET / HTTP/1.1\r\nCookie: [masked]\r\nHost: a',
    );
    expect(maskText('set-cookie: sid=hunter2; Path=/; HttpOnly')).toBe('set-cookie: [masked]');
    expect(maskText('Authorization: Signature keyId="a", signature="hunter2"')).toBe('Authorization: [masked]');
  });

  it('AUD-3 keeps the digest of a file under the name sha256 only', () => {
    const sha256 = 'ab12'.repeat(16);
    expect(maskSensitive({ sha256, other: sha256 })).toEqual({ sha256, other: '[masked]' });
  });

  it('AUD-3 keeps mobile numbers in part, by name and by form', () => {
    expect(
      maskSensitive({ mobile: '13812345678', phoneNumber: 13812345678, note: 'call 13812345678 or +8613812345678' }),
    ).toEqual({
      mobile: '138****5678',
      phoneNumber: '138****5678',
      note: 'call 138****5678 or +86138****5678',
    });
    expect(maskSensitive({ mobile: ['+442071838750', '1234567'], other: 13812345678 })).toEqual({
      mobile: ['+4420****8750', '[masked]'],
      other: '138****5678',
    });
  });

  it('AUD-3 does not mistake times and ids for mobile numbers', () => {
    expect(
      maskSensitive({ note: 'call 138 1234 5678 or 138-1234-5678 or +86 138 1234 5678', target: '138-1234-5678' }),
    ).toEqual({
      note: 'call 138****5678 or 138****5678 or +86138****5678',
      target: '138****5678',
    });
    for (const value of [1_700_000_000_000, '1700000000000', 138123456789, 'a13812345678', '12.13812345678'])
      expect(maskSensitive(value)).toBe(value);
  });

  it('exports its list of names for loggers', () => {
    expect(SENSITIVE_NAMES.whole).toContain('code');
    expect(SENSITIVE_NAMES.parts).toContain('password');
  });
});

describe('by form', () => {
  const jwt = `eyJhbGciOiJFZERTQSJ9.${randomBytes(60).toString('base64url')}.${randomBytes(64).toString('base64url')}`;
  const pem = `-----BEGIN PRIVATE KEY-----\n${randomBytes(48).toString('base64')}\n-----END PRIVATE KEY-----`;
  it.each([
    ['a JWT', jwt, jwt.slice(30, 60)],
    ['a bearer token', 'Authorization: Bearer abcdef123456', 'abcdef123456'],
    ['a basic credential', 'basic YW5uYTpodW50ZXIy', 'YW5uYTpodW50ZXIy'],
    ['a PEM key', `key ${pem} end`, pem.slice(40, 60)],
    ['a PEM key cut off', pem.slice(0, 60), pem.slice(40, 60)],
    ['a BCrypt hash', `$2b$12$${'abcdefghijkLMNOPQRSTUV0123456789./abcdefghijkLMNOPQRS'.slice(0, 53)}`, 'LMNOPQRSTUV'],
    ['an Argon2 hash', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub', 'RdescudvJCsgt3ub'],
    ['64 hex digits', `the ${'0a1b2c3d'.repeat(8)} key`, '0a1b2c3d0a'],
    ['a pair in a query', 'a=1&password=hunter2&b=2', 'hunter2'],
    ['a member in JSON within a text', JSON.stringify(JSON.stringify({ smsCode: 'hunter2', a: 1 })), 'hunter2'],
    ['a quoted value with spaces', "password='hunter2 is mine' x", 'hunter2'],
  ])('AUD-3 AU-07 masks %s', (_, text, secret) => {
    expect(maskText(text)).not.toContain(secret);
    expect(maskText(text)).toContain('[masked]');
  });

  it('AUD-3 masks 32 random bytes in base64url, and 64 in base64', () => {
    for (let round = 0; round < 2000; round += 1) {
      const bytes = createHash('sha512').update(String(round)).digest();
      expect(maskText(`<${bytes.subarray(0, 32).toString('base64url')}>`)).toBe('<[masked]>');
      expect(maskText(bytes.toString('base64'))).toMatch(/^(?:\[masked\])+$/);
    }
  });

  it.each([
    '018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e',
    '018f4d3e7c1a7b2c9d3e4f5a6b7c8d9e',
    'administrator-018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e',
    '/admin/administrators/018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e/password',
    'Quarterly-Report-Of-The-Supervisory-Board-2026-final-version.pdf',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    '2026-11-21T16:15:10.123Z',
    'SystemParametersAdministrationConfigurationValue',
    'SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS',
    '018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e_018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e',
    '12.50',
    'api:admin:auth:clearLoginLimit',
  ])('AUD-3 leaves %j', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

describe('any value', () => {
  it('AUD-3 masks at any depth, and cuts what is deeper than its limit', () => {
    const deep = (levels: number): unknown => (levels === 0 ? { password: 'hunter2' } : [{ in: deep(levels - 1) }]);
    for (const levels of [0, 1, 3, 4, 50, 5000])
      expect(JSON.stringify(maskSensitive(deep(levels)))).not.toContain('hunter2');
    expect(maskSensitive({ a: [{ b: { PassWord: 'x', c: 1 } }] })).toEqual({
      a: [{ b: { PassWord: '[masked]', c: 1 } }],
    });
  });

  it('describes values without JSON', () => {
    const cyclic: Record<string, unknown> = { name: 'a' };
    cyclic.self = { again: cyclic };
    expect(
      maskSensitive({
        cyclic,
        bytes: Buffer.from('hunter2'),
        map: new Map([['password', 'hunter2']]),
        error: new TypeError('hunter2'),
        when: new Date(0),
        never: new Date(Number.NaN),
        big: 12n,
        nan: Number.NaN,
        none: undefined,
        run() {},
        get broken() {
          throw new Error('hunter2');
        },
      }),
    ).toEqual('[unreadable]');
    expect(
      maskSensitive({
        cyclic,
        bytes: Buffer.from('hunter2'),
        map: new Map([['password', 'hunter2']]),
        error: new TypeError('hunter2'),
        when: new Date(0),
        never: new Date(Number.NaN),
        big: 12n,
        nan: Number.NaN,
        none: undefined,
        run() {},
      }),
    ).toEqual({
      cyclic: { name: 'a', self: { again: '[cycle]' } },
      bytes: '[7 bytes]',
      map: '[Map of 1]',
      error: '[TypeError]',
      when: '1970-01-01T00:00:00.000Z',
      never: null,
      big: '12',
      nan: 'NaN',
    });
  });

  it('AUD-3 keeps both copies of an object that occurs twice', () => {
    const one = { a: 1 };
    expect(maskSensitive([one, one])).toEqual([one, one]);
  });

  it('AUD-2 bounds members, bytes and the length of a text', () => {
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, index]));
    expect(Object.keys(maskSensitive(members) as object).length).toBeLessThanOrEqual(MASK_LIMITS.maxEntries + 1);
    const texts = Array.from({ length: 400 }, () => '😀'.repeat(5000));
    expect(Buffer.byteLength(JSON.stringify(maskSensitive(texts)))).toBeLessThanOrEqual(MASK_LIMITS.maxBytes + 100);
    expect(maskSensitive('y'.repeat(100_000))).toBe(`${'y'.repeat(995)}[cut]`);
    expect(maskSensitive([1, 2, 3], { maxEntries: 2 })).toEqual([1, 2, '[cut]']);
  });

  it('keeps a member named __proto__ as an own property', () => {
    const masked = maskSensitive(JSON.parse('{"__proto__": {"admin": true}}')) as object;
    expect((masked as { admin?: boolean }).admin).toBeUndefined();
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"admin":true}}');
  });

  it('AUD-3 masks a secret that is the name of a member', () => {
    expect(JSON.stringify(maskSensitive({ ['0a1b2c3d'.repeat(8)]: 1 }))).toBe('{"[masked]":1}');
  });

  it('needs no more time for hostile texts than for others', () => {
    const hostile = [
      'a'.repeat(4000),
      '='.repeat(4000),
      '-----BEGIN KEY-----'.repeat(200),
      'eyJ'.repeat(1300),
      '+'.repeat(4000),
      'Ab-'.repeat(1300),
      '"\\'.repeat(2000),
    ];
    // A pattern with quadratic time would need minutes.
    for (const text of hostile) for (let round = 0; round < 50; round += 1) maskText(text + round);
  });
});
