import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../reference-server/faults/server-process.js';
import { createAppService } from '../src/app-service.js';

const entry = fileURLToPath(new URL('../dist/app-client.js', import.meta.url));

// The server is built and started first, which is slow on a busy machine.
describe('the app client against its own server', { timeout: 90_000 }, () => {
  let folder: string;
  let server: ServerProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-app-client-'));
    server = await startServer({
      SERVICE_DATA_DIR: folder,
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
  }, 120_000);
  afterAll(async () => {
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const client = spawn(process.execPath, [entry, '--server', server.origin, ...words], { stdio: 'pipe' });
    let [out, err] = ['', ''];
    client.stdout.on('data', (text) => {
      out += text;
    });
    client.stderr.on('data', (text) => {
      err += text;
    });
    const [code] = await once(client, 'close');
    return { code, out, err };
  }

  it('APP-1 APP-2 ENV-4 signs in with a code, sends the envelopes that the server requires, and signs out', async () => {
    const { code, out, err } = await run('--mobile', '138 0013 8000', '--name', '小明');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trim().split('\n')).toEqual([
      'envelopes: REQUIRED',
      'a code was sent',
      'signed in: +8613800138000',
      'name: 小明',
      'signed out',
    ]);
  });

  it('APP-1 HTTP-2 prints the code of a refusal, and exits with 1', async () => {
    const { code, err } = await run('--mobile', '12345');
    expect(code).toBe(1);
    expect(err).toContain('400 MOBILE_INVALID');
  });

  it('TOK-3 ADM-5 after signing out the session has ended on the server, and the client has dropped its token', async () => {
    const service = createAppService(server.origin);
    const mobile = '+8613800138001';
    await service.sendSmsCode(mobile);
    let smsCode: string | null = null;
    while (smsCode === null) smsCode = await service.readDevelopmentCode(mobile);
    await service.signIn(mobile, smsCode);
    expect(await service.readProfile()).toEqual({ mobile, displayName: '', hasPassword: false });
    await service.signOut();
    await expect(service.readProfile()).rejects.toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    await expect(service.signIn(mobile, smsCode)).rejects.toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
  });
});
