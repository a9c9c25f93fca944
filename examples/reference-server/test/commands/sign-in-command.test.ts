import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSignInCommand } from '../../src/commands/sign-in-command.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

describe('the command that signs in', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  async function run(argv: readonly string[], password = 'none', port?: string) {
    let [out, err] = ['', ''];
    const status = await runSignInCommand({
      argv,
      port,
      ask: async () => password,
      write: (text) => {
        out += text;
      },
      writeError: (text) => {
        err += text;
      },
    });
    return { status, out, err };
  }

  it.each([
    ['OFF', {}],
    [
      'REQUIRED',
      {
        SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      },
    ],
  ])('API-4 prints a token that the server takes, in mode %s', async (mode, environment) => {
    const app = await bench.app(environment);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { status, out, err } = await run(['--url', `${url}/`]);
    expect([status, err]).toEqual([0, '']);
    const authorization = `Bearer ${out.trim()}`;
    // No envelope carries this route.
    const probe = mode === 'OFF' ? '/admin/profile' : '/actuator/metrics';
    expect((await app.inject({ url: probe, headers: { authorization } })).statusCode).toBe(200);
    const refused = await run(['--url', url, '--username', 'admin'], 'wrong');
    expect([refused.status, refused.out, refused.err]).toEqual([2, '', expect.stringContaining('LOGIN_FAILED')]);
  });

  it('API-4 signs in at the port of this machine, unless told another address', async () => {
    const app = await bench.app();
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const { status, out } = await run([], 'none', port);
    expect([status, out]).toEqual([0, expect.stringMatching(/^\S+\n$/)]);
  });

  it('API-4 says why it can not sign in, and shows its help', async () => {
    const unreachable = await run(['--url', 'http://127.0.0.1:1']);
    expect([unreachable.status, unreachable.err]).toEqual([2, expect.stringContaining('The sign-in failed.')]);
    expect((await run(['--nothing'])).status).toBe(2);
    expect(await run(['--help'])).toMatchObject({ status: 0, out: expect.stringContaining('Exit status'), err: '' });
  });
});
