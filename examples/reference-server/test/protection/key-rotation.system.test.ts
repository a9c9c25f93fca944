import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeySource } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { sm2Open, sm2PublicKey } from '@sallyport/envelope-crypto/gm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { loadTrustedModule } from '../../src/config/trusted-module.js';
import { checkSettings } from '../../src/preflight/preflight.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, credentials, openTestBench, type TestBench } from '../support/test-app.js';

const example = fileURLToPath(new URL('../../key-providers/file.mjs', import.meta.url));

/** For a busy machine. */
const PATIENCE = { timeout: 10_000 };

const keyNamed = (keyId: string) => ({ keyId, privateKey: randomBytes(32).toString('hex') });

describe('the module that yields the keys', () => {
  let bench: TestBench;
  let folder: string;
  let keyFile: string;
  beforeAll(async () => {
    bench = await openTestBench();
    folder = join(bench.folder, 'keys');
    await mkdir(folder, { mode: 0o700 });
    keyFile = join(folder, 'envelope-keys.json');
    vi.stubEnv('SALLYPORT_KEY_FILE', keyFile);
  });
  afterEach(() => vi.stubEnv('SALLYPORT_KEY_FILE', keyFile));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await bench.close();
  });

  async function replaceFile(keys: object | string, mode = 0o600): Promise<void> {
    const text = typeof keys === 'string' ? keys : JSON.stringify(keys);
    await writeFile(`${keyFile}.new`, text, { mode });
    await rename(`${keyFile}.new`, keyFile);
  }

  async function moduleOf(source: string, mode = 0o600): Promise<Record<string, string>> {
    const path = join(folder, `${randomBytes(6).toString('hex')}.mjs`);
    await writeFile(path, source);
    await chmod(path, mode);
    return withModule(path);
  }

  const withModule = (path: string) => ({
    SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
    SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: path,
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '100000',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '100000',
  });

  async function exampleModule(): Promise<Record<string, string>> {
    const path = join(folder, 'file.mjs');
    await copyFile(example, path);
    await chmod(path, 0o644);
    return withModule(path);
  }

  it('ENV-12 the example reads a file: after its replacement the client goes on, and its application sees no error', async () => {
    let keys = keyNamed('2026-10');
    await replaceFile(keys);
    const app = await bench.app(await exampleModule());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const client = createEnvelopeClient({ baseUrl: app.listeningOrigin });
    const login = await client.fetch('/admin/auth/login', { method: 'POST', body: JSON.stringify(credentials) });
    const { data } = (await login.json()) as { data: { token: string } };
    const headers = { authorization: `Bearer ${data.token}` };
    const statuses: unknown[] = [];
    let isDone = false;
    const users = ['GET', 'PUT'].map(async (method) => {
      const more = method === 'PUT' ? { method, body: '{"displayName":"A"}' } : {};
      while (!isDone) {
        const response = await client.fetch('/admin/profile', { headers, ...more }).catch(String);
        statuses.push(typeof response === 'string' ? response : response.status);
      }
    });
    try {
      for (const keyId of ['2026-11', '2026-12', '2027-01']) {
        // The last one without the earlier key: the client reads the bootstrap again.
        const next = keyNamed(keyId);
        await replaceFile(keyId === '2027-01' ? next : { ...next, previousKeys: [keys] });
        keys = next;
        await vi.waitFor(() => expect(app.envelopeCrypto.keyId).toBe(keyId), PATIENCE);
        const seen = statuses.length;
        await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(seen + 3), PATIENCE);
      }
    } finally {
      isDone = true;
      await Promise.all(users);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('ENV-12 keeps its keys if the file is broken, weak or open to others: ready, and the component says why', async () => {
    const keys = keyNamed('2026-10');
    await replaceFile(keys);
    const app = await bench.app({ ...(await exampleModule()), SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL' });
    const headers = await bearer(app);
    const weak = { keyId: 'x', privateKey: Buffer.from('ThisIsMyVerySecretKeyForTesting!').toString('hex') };
    for (const [content, mode] of [
      ['{', 0o600],
      [weak, 0o600],
      [keyNamed('y'), 0o644],
    ] as const) {
      await replaceFile(keys);
      await vi.waitFor(() => expect(app.envelopeCrypto.keyRefreshFailure()).toBeNull(), PATIENCE);
      await replaceFile(content, mode);
      await vi.waitFor(() => expect(app.envelopeCrypto.keyRefreshFailure()).not.toBeNull(), PATIENCE);
      expect(app.envelopeCrypto.keyId).toBe('2026-10');
    }
    expect((await app.inject('/actuator/health/readiness')).statusCode).toBe(200);
    await vi.waitFor(async () => {
      const { status, components } = (await app.inject({ url: '/actuator/health', headers })).json();
      expect(status).toBe('UP');
      expect(components.envelope).toMatchObject({
        status: 'DOWN',
        details: { keyId: '2026-10', reason: 'KEYS_NOT_REFRESHED' },
      });
    }, PATIENCE);
  });

  it('ENV-12 the example takes a file that its group may read, as Kubernetes mounts a secret', async () => {
    const [first, second, third] = [keyNamed('2026-10'), keyNamed('2026-11'), keyNamed('2026-12')];
    await replaceFile(first, 0o400);
    const app = await bench.app(await exampleModule());
    for (const [keys, mode] of [
      [second, 0o440],
      [third, 0o640],
    ] as const) {
      await replaceFile(keys, mode);
      await vi.waitFor(() => expect(app.envelopeCrypto.keyId).toBe(keys.keyId), PATIENCE);
    }
  });

  it('ENV-12 the example judges owner, group and mode of the file', async () => {
    const { openTo }: { openTo(stats: { mode: number; uid: number; gid: number }): string | null } = await import(
      example
    );
    const [uid, gid] = [process.getuid!(), process.getegid!()];
    const [otherUser, otherGroup] = [123_456, 234_567];
    for (const mode of [0o400, 0o600, 0o440, 0o640]) {
      expect(openTo({ mode: 0o100_000 + mode, uid, gid })).toBeNull();
      expect(openTo({ mode, uid: 0, gid })).toBeNull();
      expect(openTo({ mode, uid: otherUser, gid })).toContain('neither root nor');
    }
    expect(openTo({ mode: 0o600, uid: 0, gid: otherGroup })).toBeNull();
    for (const mode of [0o440, 0o640])
      expect(openTo({ mode, uid, gid: otherGroup })).toContain('not one of the server');
    for (const mode of [0o644, 0o444, 0o604, 0o602, 0o601]) {
      expect(openTo({ mode, uid, gid })).toContain('open to all users');
    }
    for (const mode of [0o660, 0o620, 0o650]) expect(openTo({ mode, uid, gid })).toContain('writable or executable');
  });

  it('ENV-12 takes a module that keeps the private key to itself, and only unwraps', async () => {
    const secret = randomBytes(32);
    const unwrap = vi.fn(async (_keyId: string, ek: Uint8Array) => sm2Open(secret, ek));
    const keyProvider = { keyId: 'kms-1', publicKey: Buffer.from(sm2PublicKey(secret)).toString('hex'), unwrap };
    vi.stubGlobal('testKeys', { keyProvider });
    const app = await bench.app(await moduleOf('export default { load: () => globalThis.testKeys };'));
    vi.unstubAllGlobals();
    const request = sealed(app, { url: '/admin/auth/captcha' });
    expect(request.open(await app.inject(request.options))).toMatchObject({ data: { enabled: false } });
    expect(unwrap).toHaveBeenCalledWith('kms-1', expect.any(Uint8Array), { signal: expect.any(AbortSignal) });
  });

  const faulty: [string, string, number, RegExp][] = [
    [
      'yields a weak key',
      "export default { load: () => ({ keyId: 'k', privateKey: '0'.repeat(64) }) };",
      0o600,
      /is zero/,
    ],
    ['fails', "export default { load() { throw new Error('no access') } };", 0o600, /load failed: no access$/m],
    ['has a misspelt member', 'export default { load() {}, refreshSecond: 1 };', 0o600, /did you mean/],
    ['exports nothing', 'export const load = () => ({});', 0o600, /has no default export/],
    ['exports null', 'export default null;', 0o600, /must be an object with load$/m],
    ['does not parse', 'export default {', 0o600, /could not be loaded \(/],
    ['others may write', 'export default {};', 0o622, /is writable by users other than root/],
  ];

  it.each(faulty)(
    'ENV-12 OPS-10 a module that %s refuses the start and the preflight, by its variable',
    async (...given) => {
      const [, source, mode, reason] = given;
      const environment = await moduleOf(source, mode);
      const refusal = await bench.app(environment).then(
        () => 'started',
        (error: Error) => error.message,
      );
      expect(refusal).toContain('SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE');
      expect(refusal).toMatch(reason);
      const config = { ...bench.config(environment), 'auth.token.key': randomBytes(32).toString('hex') };
      const items = await checkSettings({
        config: { ...config, 'auth.token.algorithm': 'HS256' },
        process: { argv: [], execArgv: [], env: {}, versions: process.versions } as never,
        now: Date.now,
      });
      expect(items.map(({ id }) => id)).toContain('config.api.encryption.key-provider-module');
    },
  );

  it('ENV-12 a module that waits for ever at its top level is refused, by what to do', async () => {
    const { SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: path } = await moduleOf(
      'await new Promise(() => {}); export default {};',
    );
    expect(await loadTrustedModule(path!, 50)).toEqual({
      kind: 'refused',
      reason: 'did not finish loading within 0.05 s',
      fix: 'wait for nothing at its top level, only in its functions',
    });
  });

  it('ENV-12 the example refuses what is not a file, and a pipe without a writer holds nothing up', async () => {
    const { default: source }: { default: KeySource } = await import(example);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    const { signal } = new AbortController();
    for (const path of [pipe, folder]) {
      vi.stubEnv('SALLYPORT_KEY_FILE', path);
      await expect(Promise.resolve(source.load({ signal }))).rejects.toThrow(`${path} is not a file`);
    }
  });

  it('ENV-12 a key beside the module is a fault, each by its variable', () => {
    const environment = {
      SERVICE_PROFILE: 'development',
      ...withModule('/srv/keys.mjs'),
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: keyNamed('').privateKey,
      SERVICE_API_ENCRYPTION_KEY_ID: 'k',
      SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: `old:${keyNamed('').privateKey}`,
    };
    const read = () => readConfig(environment);
    for (const name of ['PRIVATE_KEY', 'KEY_ID', 'PREVIOUS_KEYS']) {
      expect(read).toThrow(`SERVICE_API_ENCRYPTION_${name} is set, and a module yields the keys`);
    }
    expect(() => readConfig({ ...environment, SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: 'keys.mjs' })).toThrow(
      'SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE',
    );
  });
});
