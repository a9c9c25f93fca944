import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { generateCheckpointKey } from '@sallyport/audit-log/postgres';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, settingRows } from '../../src/config/config.js';

const development = { SERVICE_PROFILE: 'development' };

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
}

describe('configuration', () => {
  it('OPS-10 an environment with only the profile gives the documented defaults', () => {
    expect(readConfig(development)).toMatchObject({
      profile: 'development',
      host: '127.0.0.1',
      port: 3000,
      'data-dir': '.data',
      'database-url': null,
      'redis-url': null,
      'trusted-proxies': [],
      'api.encryption.mode': 'OFF',
      'api.encryption.timestamp-window-seconds': 300,
      'api.encryption.replay-ttl-seconds': 300,
      'api.encryption.max-payload-bytes': 65_536,
      'auth.password.bcrypt-cost': 12,
      'rate-limit.login.max-requests': 20,
      'rate-limit.app-login.max-requests': 300,
      'rate-limit.recovery.max-requests': 60,
    });
  });

  it('OPS-10 the profile is production unless it is set', () => {
    expect(faultsOf({})).toEqual([
      expect.stringContaining('SERVICE_AUTH_TOKEN_KEY is missing'),
      expect.stringContaining('SERVICE_AUTH_SECOND_FACTOR_KEY is missing'),
      expect.stringContaining('SERVICE_AUDIT_CHAIN_KEY is missing'),
      expect.stringContaining('SERVICE_AUDIT_CHECKPOINT_KEY is missing'),
      expect.stringContaining('SERVICE_AUDIT_CHECKPOINT_FILE is missing'),
    ]);
  });

  it('OPS-10 a property a.b-c.d is the variable SERVICE_A_B_C_D', () => {
    const row = settingRows.find(({ property }) => property === 'api.encryption.timestamp-window-seconds');
    expect(row?.variable).toBe('SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS');
    expect(new Set(settingRows.map(({ variable }) => variable)).size).toBe(settingRows.length);
  });

  it('UPL-10 OPS-10 the encodings of uploaded text are supported ones, each once, in the order of the list', () => {
    const read = (text: string) =>
      readConfig({ ...development, SERVICE_UPLOAD_TEXT_ENCODINGS: text })['upload.text-encodings'];
    expect(readConfig(development)['upload.text-encodings']).toEqual(['utf-8', 'gb18030']);
    expect(read('GB18030, UTF-8,utf-16')).toEqual(['gb18030', 'utf-8', 'utf-16']);
    for (const text of ['utf-8,klingon', 'utf-8,,gbk', 'utf-8,UTF-8', 'latin1', 'utf-7', 'iso-2022-jp']) {
      const faults = faultsOf({ ...development, SERVICE_UPLOAD_TEXT_ENCODINGS: text });
      expect(faults).toEqual([expect.stringMatching(/^SERVICE_UPLOAD_TEXT_ENCODINGS has an? .+; (write|separate) /)]);
      expect(faults.join()).not.toContain('klingon');
    }
  });

  it('LGN-13 OPS-10 terminals are in lower case, each once, and none is in both lists', () => {
    expect(readConfig(development)).toMatchObject({ 'admin.auth.terminals': ['web'], 'app.auth.terminals': ['app'] });
    const terminals = { SERVICE_ADMIN_AUTH_TERMINALS: 'Web, kiosk', SERVICE_APP_AUTH_TERMINALS: 'ios,ANDROID-2' };
    expect(readConfig({ ...development, ...terminals })).toMatchObject({
      'admin.auth.terminals': ['web', 'kiosk'],
      'app.auth.terminals': ['ios', 'android-2'],
    });
    const seventeen = Array.from({ length: 17 }, (_, n) => `t${n}`).join();
    for (const text of ['web,Web', 'web,,kiosk', 'hunter2 desk', 'hunter2/desk', '-', 'x'.repeat(33), seventeen]) {
      const faults = faultsOf({ ...development, SERVICE_ADMIN_AUTH_TERMINALS: text });
      expect(faults).toEqual([expect.stringMatching(/^SERVICE_ADMIN_AUTH_TERMINALS has an? .+; (?:write|separate) /)]);
      expect(faults.join()).not.toContain('hunter2');
    }
    expect(faultsOf({ ...development, SERVICE_APP_AUTH_TERMINALS: 'app,WEB' })).toEqual([
      'SERVICE_APP_AUTH_TERMINALS has a terminal that is also one of administrators; write terminals that are not in SERVICE_ADMIN_AUTH_TERMINALS',
    ]);
  });

  it('OPS-10 one error reports every fault, by variable, with reason and fix, never with the value', () => {
    const values = {
      SERVICE_PROFILE: 'prod-hunter2',
      SERVICE_PORT: '3000-hunter2',
      SERVICE_DATABASE_URL: 'mysql://user:hunter2@host/db',
      SERVICE_REDIS_URL: 'redis://user:hunter2%zz@host',
      SERVICE_TRUSTED_PROXIES: 'true,hunter2',
      SERVICE_CORS_ORIGINS: 'https://a.example/hunter2',
      SERVICE_API_ENCRYPTION_MODE: 'on-hunter2',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: 'hunter2',
      SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: 'old:hunter2',
      SERVICE_AUTH_TOKEN_PREVIOUS_KEYS: 'hunter2',
      SERVICE_AUDIT_CHAIN_KEY: 'audit:hunter2',
      SERVICE_NODES: '-1',
    };
    const faults = faultsOf(values);
    expect(faults.join('\n')).not.toContain('hunter2');
    for (const variable of Object.keys(values)) {
      expect(faults.filter((fault) => fault.startsWith(`${variable} `) && fault.includes('; '))).toHaveLength(1);
    }
  });

  it.each(['required', 'REQUIRED ', ' REQUIRED', 'On', '', 'TRUE', 'off', 'ＯＦＦ', 'REQUIRED\n'])(
    'SV-11 the encryption mode %j refuses the start and is never read as OFF',
    (mode) => {
      expect(faultsOf({ ...development, SERVICE_API_ENCRYPTION_MODE: mode })).toEqual([
        expect.stringMatching(/^SERVICE_API_ENCRYPTION_MODE /),
      ]);
    },
  );

  it.each([
    ['SERVICE_API_ENCRYPTION_MOD', 'SERVICE_API_ENCRYPTION_MODE'],
    ['SERVICE_ENCRYPTION_MODE', 'SERVICE_API_ENCRYPTION_MODE'],
    ['SERVICE_TRUSTED_PROXY', 'SERVICE_TRUSTED_PROXIES'],
  ])(
    'SV-11 an unknown variable %s is a fault that asks for %s, so that a slip never leaves a protection off',
    (wrong, right) => {
      expect(faultsOf({ ...development, [wrong]: 'REQUIRED' })).toEqual([
        `${wrong} is not a known variable; did you mean ${right}?`,
      ]);
    },
  );

  it('OPS-10 ignores variables without the prefix', () => {
    expect(faultsOf({ ...development, PATH: '/bin', MY_SERVICE_PORT: 'x' })).toEqual([]);
  });

  it('OPS-10 an empty value is a fault, because it may have been forgotten', () => {
    expect(faultsOf({ ...development, SERVICE_DATABASE_URL: '' })).toEqual([
      'SERVICE_DATABASE_URL is set, but empty; unset it, or give it a value',
    ]);
  });

  it.each(['0x10', '1e3', ' 10', '10.5', '-1', '+5', '１０', '99999999999999999999', '065'])(
    'OPS-10 the number %j is refused: digits only, in range',
    (text) => {
      expect(faultsOf({ ...development, SERVICE_PORT: text })).toHaveLength(1);
    },
  );

  it.each(['true', '1', '*', 'loopback', '10.0.0.0/33', '010.0.0.1'])(
    'IP-2 the trusted proxy %j is refused',
    (entry) => {
      expect(faultsOf({ ...development, SERVICE_TRUSTED_PROXIES: entry })).toHaveLength(1);
    },
  );

  it.each(['public', 'orders', '_x', 'Mixed_Case9', 'select', `s${'x'.repeat(62)}`])(
    'OPS-11 %j is the name of a schema',
    (name) => {
      const config = readConfig({
        ...development,
        SERVICE_DATABASE_URL: 'postgres://host/db',
        SERVICE_DATABASE_SCHEMA: name,
      });
      expect(config['database-schema']).toBe(name);
    },
  );

  it.each([
    ...[
      'my app',
      'my-app',
      'a"; drop schema public cascade; --',
      "a'b",
      'a,b',
      '"$user"',
      '$user',
      '数据',
      '9a',
      'a.b',
    ],
    ...['a\n', ' a', `s${'x'.repeat(63)}`, 'pg_temp', 'pg_catalog', 'information_schema', 'bullmq'],
  ])('OPS-11 %j is not, and is refused before anything is opened', (name) => {
    const faults = faultsOf({
      ...development,
      SERVICE_DATABASE_URL: 'postgres://host/db',
      SERVICE_DATABASE_SCHEMA: name,
    });
    expect(faults).toEqual([
      'SERVICE_DATABASE_SCHEMA has an invalid form; write 1 to 63 letters, digits or underscores, a letter first; not pg_…, information_schema or bullmq',
    ]);
  });

  it('OPS-11 another schema needs PostgreSQL, and the URL must not set a search path beside it', () => {
    const schema = { ...development, SERVICE_DATABASE_SCHEMA: 'orders' };
    expect(faultsOf(schema)).toEqual([expect.stringMatching(/^SERVICE_DATABASE_SCHEMA is set, but the embedded/)]);
    for (const query of ['search_path=x', 'options=-c%20search_path%3Dx', 'options=--search_path=x']) {
      expect(faultsOf({ ...schema, SERVICE_DATABASE_URL: `postgres://host/db?${query}` })).toEqual([
        'SERVICE_DATABASE_URL sets a search_path; remove it, and set SERVICE_DATABASE_SCHEMA to the schema',
      ]);
    }
    const readOnly = 'postgres://host/db?default_transaction_read_only=off';
    expect(faultsOf({ ...schema, SERVICE_DATABASE_URL: readOnly })).toEqual([
      expect.stringMatching(/^SERVICE_DATABASE_URL sets default_transaction_read_only/),
    ]);
    const url = 'postgres://host/db?sslmode=require&options=-c%20work_mem%3D4MB';
    expect(faultsOf({ ...schema, SERVICE_DATABASE_URL: url })).toEqual([]);
  });

  it('ENV-2 an encryption mode other than OFF needs a private key', () => {
    expect(faultsOf({ ...development, SERVICE_API_ENCRYPTION_MODE: 'REQUIRED' })).toEqual([
      expect.stringContaining('SERVICE_API_ENCRYPTION_PRIVATE_KEY is missing'),
    ]);
    const key = randomBytes(32).toString('hex');
    const config = readConfig({
      ...development,
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: key,
    });
    expect(config['api.encryption.mode']).toBe('REQUIRED');
  });

  it.each([
    ['63 characters', `${'a1'.repeat(31)}b`],
    ['not hex', 'zz'.repeat(32)],
    ['zero', '0'.repeat(64)],
    ['one byte again and again', 'ab'.repeat(32)],
    ['above the order', 'f'.repeat(64)],
    ['ENV-10 text', Buffer.from('ThisIsMyVerySecretKeyForTesting!').toString('hex')],
    ['ENV-10 16 zero bytes and 16 random ones', '00'.repeat(16) + randomBytes(16).toString('hex')],
  ])('EC-43 a private key of %s refuses the start, and its text is not printed', (_name, key) => {
    const encryption = { ...development, SERVICE_API_ENCRYPTION_MODE: 'REQUIRED' };
    const current = faultsOf({ ...encryption, SERVICE_API_ENCRYPTION_PRIVATE_KEY: key });
    expect(current).toEqual([expect.stringMatching(/^SERVICE_API_ENCRYPTION_PRIVATE_KEY /)]);
    const earlier = faultsOf({
      ...encryption,
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: `old:${key}`,
    });
    expect(earlier).toEqual([expect.stringMatching(/^SERVICE_API_ENCRYPTION_PREVIOUS_KEYS /)]);
    expect([current, earlier].join()).not.toContain(key);
  });

  it('UPL-9 OPS-10 incomplete credentials of the object store, or credentials without a bucket, are reported without the secret', () => {
    const bucket = { ...development, SERVICE_STORAGE_S3_BUCKET: 'files' };
    const account = { SERVICE_STORAGE_S3_ACCESS_KEY_ID: 'key', SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: 'hunter2' };
    expect(faultsOf({ ...bucket, ...account })).toEqual([]);
    expect(faultsOf(bucket)).toEqual([]);
    expect(faultsOf({ ...bucket, SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: 'hunter2' })).toEqual([
      expect.stringMatching(/^SERVICE_STORAGE_S3_ACCESS_KEY_ID is missing/),
    ]);
    const faults = faultsOf({ ...development, ...account });
    expect(faults).toEqual([
      expect.stringMatching(/^SERVICE_STORAGE_S3_ACCESS_KEY_ID is set, but no bucket/),
      expect.stringMatching(/^SERVICE_STORAGE_S3_SECRET_ACCESS_KEY is set, but no bucket/),
    ]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('OPS-9 several nodes need a shared database', () => {
    expect(faultsOf({ ...development, SERVICE_NODES: '2' })).toEqual([
      expect.stringMatching(/^SERVICE_DATABASE_URL is required/),
    ]);
    expect(faultsOf({ ...development, SERVICE_NODES: '2', SERVICE_DATABASE_URL: 'postgres://db/app' })).toEqual([]);
  });

  it.each([
    ['SERVICE_APP_AUTH_DEFAULT_REGION', 'XX'],
    ['SERVICE_APP_AUTH_DEFAULT_REGION', 'cn'],
    ['SERVICE_NOTIFICATION_WORKER', 'none'],
    ['SERVICE_NOTIFICATION_LEASE_SECONDS', '0'],
    ['SERVICE_NOTIFICATION_GATEWAY_URL', 'ftp://gateway'],
    ['SERVICE_NOTIFICATION_GATEWAY_BODY', '{"to":"{{phone}}"}'],
    ['SERVICE_NOTIFICATION_GATEWAY_BODY', 'to={{mobile}}'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', 'Authorization: hunter2'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '{"A b":"hunter2"}'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '{"A":"hunter2\\r\\nB: c"}'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '{"A":7}'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '"hunter2"'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '["Authorization: hunter2"]'],
    ['SERVICE_NOTIFICATION_GATEWAY_HEADERS', '{}'],
    ['SERVICE_AUDIT_WITNESS_HEADERS', '7'],
    ['SERVICE_AUDIT_NDJSON_HEADERS', 'true'],
    ['SERVICE_AUDIT_WITNESS_URL', 'https://user:hunter2@witness.example/'],
    ['SERVICE_PUBLIC_URL', 'ftp://api.example.com'],
    ['SERVICE_CORS_ORIGINS', 'https://a.example,ws://b.example'],
    ['SERVICE_NOTIFICATION_GATEWAY_SIGNATURE_KEY', 'hunter2'],
    ['SERVICE_NOTIFICATION_GATEWAY_TIMEOUT_SECONDS', '31'],
  ])('APP-4 %s=%s is refused, and not printed', (variable, value) => {
    const faults = faultsOf({ ...development, [variable]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${variable} `))]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it.each([
    ['ed25519', generateKeyPairSync('ed25519')],
    ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ])('TOK-4 an earlier public key of %s without its PEM lines is refused: it would be a secret', (_, { publicKey }) => {
    const bare = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const pem = String(publicKey.export({ format: 'pem', type: 'spki' }))
      .trim()
      .replaceAll('\n', '\\n');
    const faults = (key: string) => faultsOf({ ...development, SERVICE_AUTH_TOKEN_PREVIOUS_KEYS: `old:${key}` });
    expect(faults(bare)).toEqual([expect.stringMatching(/^SERVICE_AUTH_TOKEN_PREVIOUS_KEYS .*PEM/)]);
    expect(faults(bare).join()).not.toContain(bare);
    // As a PEM is written in an environment file, without its first and last line.
    expect(faults(pem.split('\\n').slice(1, -1).join('\\n'))).toHaveLength(1);
    for (const key of [pem, 'x'.repeat(40), bare.slice(4)]) expect(faults(key)).toEqual([]);
  });

  it('APP-4 production does not send codes in the clear; a separate worker needs a shared database', () => {
    const production = {
      SERVICE_AUTH_TOKEN_KEY: 'x',
      SERVICE_AUTH_SECOND_FACTOR_KEY: `test:${randomBytes(32).toString('base64')}`,
      SERVICE_AUDIT_CHAIN_KEY: `audit:${randomBytes(32).toString('hex')}`,
      SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('api.example.com/audit').privateKey,
      SERVICE_AUDIT_CHECKPOINT_FILE: '/mnt/checkpoints',
    };
    const gateway = (url: string) => faultsOf({ ...production, SERVICE_NOTIFICATION_GATEWAY_URL: url });
    expect(gateway('http://gateway.example/')).toEqual([expect.stringMatching(/^SERVICE_NOTIFICATION_GATEWAY_URL /)]);
    expect(gateway('http://localhost.example/')).toHaveLength(1);
    expect(gateway('https://gateway.example/')).toEqual([]);
    expect(gateway('http://127.0.0.1:8080/')).toEqual([]);
    const captchas = (url: string) =>
      faultsOf({ ...production, SERVICE_CAPTCHA_VERIFY_URL: url, SERVICE_CAPTCHA_VERIFY_SECRET: 'hunter2' });
    expect(captchas('https://captcha.example/siteverify')).toEqual([]);
    for (const url of ['http://captcha.example/siteverify', 'https://user:hunter2@captcha.example/siteverify']) {
      expect(captchas(url)).toEqual([expect.stringMatching(/^SERVICE_CAPTCHA_VERIFY_URL (?!.*hunter2)/)]);
    }
    const separate = { ...development, SERVICE_NOTIFICATION_WORKER: 'separate' };
    expect(faultsOf(separate)).toEqual([expect.stringMatching(/^SERVICE_NOTIFICATION_WORKER /)]);
    expect(faultsOf({ ...separate, SERVICE_DATABASE_URL: 'postgres://db/app' })).toEqual([]);
  });

  it('AUD-12 a bad key of checkpoints is refused, and not printed', () => {
    const { privateKey, publicKey } = generateCheckpointKey('api.example.com/audit');
    const flat = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 7)]).toString('base64');
    const cases = [
      ['SERVICE_AUDIT_CHECKPOINT_KEY', 'hunter2'],
      ['SERVICE_AUDIT_CHECKPOINT_KEY', publicKey],
      ['SERVICE_AUDIT_CHECKPOINT_KEY', privateKey.replace('api', 'app')],
      ['SERVICE_AUDIT_CHECKPOINT_KEY', `PRIVATE+KEY+hunter2+00000000+${flat}`],
      ['SERVICE_AUDIT_PREVIOUS_CHECKPOINT_KEYS', privateKey],
      ['SERVICE_AUDIT_WITNESS_URL', 'ftp://hunter2'],
      ['SERVICE_AUDIT_WITNESS_HEADERS', '{"A":"hunter2"}'],
      ['SERVICE_AUDIT_BUCKET_ENDPOINT', 'https://s3.example'],
      ['SERVICE_AUDIT_BUCKET_RETAIN_DAYS', '0'],
    ] as const;
    for (const [variable, value] of cases) {
      const faults = faultsOf({ ...development, [variable]: value });
      expect(faults, variable).toEqual([expect.stringMatching(new RegExp(`^${variable} `))]);
      expect(faults.join()).not.toMatch(/hunter2|PRIVATE\+KEY\+api/);
    }
    const right = { SERVICE_AUDIT_CHECKPOINT_KEY: privateKey, SERVICE_AUDIT_PREVIOUS_CHECKPOINT_KEYS: publicKey };
    expect(faultsOf({ ...development, ...right })).toEqual([]);
  });

  it('TOK-4 AUD-6 AUD-9 AUD-12 ADM-7 TOK-9 production refuses a missing key, a low BCrypt cost and query tokens, all at once', () => {
    expect(faultsOf({ SERVICE_AUTH_PASSWORD_BCRYPT_COST: '11', SERVICE_AUTH_TOKEN_ALLOW_QUERY_TOKEN: 'true' })).toEqual(
      [
        expect.stringMatching(/^SERVICE_AUTH_TOKEN_KEY /),
        expect.stringMatching(/^SERVICE_AUTH_SECOND_FACTOR_KEY /),
        expect.stringMatching(/^SERVICE_AUDIT_CHAIN_KEY /),
        expect.stringMatching(/^SERVICE_AUDIT_CHECKPOINT_KEY /),
        expect.stringMatching(/^SERVICE_AUDIT_CHECKPOINT_FILE /),
        expect.stringMatching(/^SERVICE_AUTH_TOKEN_ALLOW_QUERY_TOKEN /),
        expect.stringMatching(/^SERVICE_AUTH_PASSWORD_BCRYPT_COST /),
      ],
    );
  });
});
