import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCheckpointKey } from '@sallyport/audit-log/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { openResources } from '../../src/storage/resources.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, signIn } from '../support/test-app.js';

const checkpointKey = () => generateCheckpointKey('test/audit').privateKey;
const chainKey = () => `audit:${randomBytes(32).toString('hex')}`;

describe('embedded default', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sallyport-embedded-'));
    // Creating a database takes seconds, so each test opens a copy of one that the server created.
    await (await openResources(config('template'))).close();
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  const config = (folder: string, environment: Record<string, string> = {}) =>
    readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_DATA_DIR: join(parent, folder),
      ...environment,
    });

  /** Settings that production requires beside its keys. */
  const passingPreflight = () => ({
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_AUDIT_CHECKPOINT_FILE: join(parent, 'checkpoints'),
  });

  const folderOf = (name: string) => cp(join(parent, 'template'), join(parent, name), { recursive: true });

  it('OPS-9 OPS-5 TOK-4 all data is in one folder, closed to others, and accounts and sessions survive a restart', async () => {
    await folderOf('restart');
    const first = await buildApp(config('restart'));
    const headers = await bearer(first);
    await first.inject({ method: 'PUT', url: '/admin/profile', headers, payload: { displayName: 'Kept' } });
    await first.close();
    expect((await stat(join(parent, 'restart'))).mode & 0o777).toBe(0o700);

    const second = await buildApp(config('restart'));
    const response = await second.inject({ url: '/admin/profile', headers });
    expect(response.json()).toMatchObject({ data: { username: 'admin', displayName: 'Kept' } });
    await second.close();
  });

  it('OPS-9 a second process on the folder is refused with a clear message, and the first continues', async () => {
    await folderOf('shared');
    const first = await buildApp(config('shared'));
    await expect(buildApp(config('shared'))).rejects.toThrow(
      /in use by another process \(pid \d+ on .+SERVICE_DATA_DIR/,
    );
    expect((await signIn(first)).statusCode).toBe(200);
    await first.close();
    await (await openResources(config('shared'))).close();
  });

  it('OPS-9 acknowledged writes survive a kill at any moment', async () => {
    await folderOf('killed');
    const app = await buildApp(config('killed'));
    const headers = await bearer(app);
    await app.inject({ method: 'PUT', url: '/admin/profile', headers, payload: { displayName: 'Acknowledged' } });
    // A copy of the files at this moment is what a killed process leaves behind.
    const filter = (path: string) => !path.endsWith('.sock');
    await cp(join(parent, 'killed'), join(parent, 'revived'), { recursive: true, filter });
    await rm(join(parent, 'revived', 'database.lock'), { recursive: true });
    await app.close();

    const revived = await buildApp(config('revived'));
    const response = await revived.inject({ url: '/admin/profile', headers });
    expect(response.json().data.displayName).toBe('Acknowledged');
    await revived.close();
  });

  it('OPS-9 the folder is unlocked when the start fails halfway', async () => {
    await folderOf('halfway');
    const broken = config('halfway', {
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_API_ENCRYPTION_BYPASS_ROUTES: '/no/such/route',
    });
    await expect(buildApp(broken)).rejects.toThrow(/SERVICE_API_ENCRYPTION_BYPASS_ROUTES.*no route answers to/);
    const app = await buildApp(config('halfway'));
    await app.close();
    expect((await readdir(join(parent, 'halfway'))).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('RG-20 RPL-1 an envelope of now, or stamped ahead within the window, that was used before a restart is refused after it', async () => {
    await folderOf('replay');
    const encrypted = config('replay', {
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    const first = await buildApp(encrypted);
    const requests = [0, 290_000].map((aheadMillis) => sealed(first, { url: '/admin/auth/captcha', aheadMillis }));
    for (const request of requests) {
      const response = await first.inject(request.options);
      expect(request.open(response)).toEqual({ data: { enabled: false } });
    }
    await first.close();

    const second = await buildApp(encrypted);
    for (const { options } of requests) {
      expect((await second.inject(options)).json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    }
    const fresh = sealed(second, { url: '/admin/auth/captcha' });
    expect(fresh.open(await second.inject(fresh.options))).toEqual({ data: { enabled: false } });
    await second.close();
  });

  it('USR-4 production has no test account, and refuses a database that still holds the development account', async () => {
    await Promise.all(['promoted', 'fresh'].map(folderOf));
    const development = await buildApp(config('promoted'));
    await development.close();
    const production = {
      SERVICE_PROFILE: 'production',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
      SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
      SERVICE_AUTH_TOKEN_KEY: randomBytes(32).toString('base64'),
      SERVICE_AUTH_SECOND_FACTOR_KEY: `test:${randomBytes(32).toString('base64')}`,
      SERVICE_AUDIT_CHAIN_KEY: chainKey(),
      SERVICE_AUDIT_CHECKPOINT_KEY: checkpointKey(),
      ...passingPreflight(),
    };
    await expect(buildApp(config('promoted', production))).rejects.toThrow("development account 'admin'");
    const app = await buildApp(config('fresh', production));
    expect((await signIn(app)).json()).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    expect((await readdir(join(parent, 'fresh'))).filter((name) => name.startsWith('token-key'))).toEqual([]);
    await app.close();
  });

  it.each([
    ['short', 'a'.repeat(8)],
    ['a sample', 'your-256-bit-secret-your-256-bit-secret'],
    ['not random', 'ab'.repeat(32)],
  ])('AT-25 TOK-4 production refuses a token secret that is %s, without printing it', async (_what, key) => {
    await folderOf('weak');
    const weak = config('weak', {
      SERVICE_PROFILE: 'production',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
      SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
      SERVICE_AUTH_TOKEN_KEY: key,
      SERVICE_AUTH_SECOND_FACTOR_KEY: `test:${randomBytes(32).toString('base64')}`,
      SERVICE_AUDIT_CHAIN_KEY: chainKey(),
      SERVICE_AUDIT_CHECKPOINT_KEY: checkpointKey(),
      SERVICE_AUDIT_CHECKPOINT_FILE: join(parent, 'checkpoints'),
    });
    const error = await buildApp(weak).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String((error as Error).message)).toMatch(/- SERVICE_AUTH_TOKEN_KEY: secret .+/);
    expect(String((error as Error).message)).not.toContain(key);
  });
});
