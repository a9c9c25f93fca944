import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { totpCodeAt } from '@sallyport/second-factor';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../scripts/free-port.mjs';
import { whyUnanswered } from '../../src/commands/server-address.js';
import { runSignInCommand } from '../../src/commands/sign-in-command.js';
import { root } from '../support/accounts.js';
import { asNewService } from '../support/new-service.js';
import { setParameter } from '../support/system-parameters.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

describe('the command that signs in', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  const opened: Server[] = [];
  afterEach(() => {
    for (const server of opened.splice(0)) server.close();
  });

  /** A server of something else. Resolves to its port. */
  async function listen(server: Server): Promise<number> {
    opened.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

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
    const url = asNewService(await app.listen({ host: '127.0.0.1', port: 0 }));
    const { status, out, err } = await run(['--url', `${url}/`]);
    expect([status, err]).toEqual([0, '']);
    const authorization = `Bearer ${out.trim()}`;
    // No envelope carries this route.
    const probe = mode === 'OFF' ? '/admin/profile' : '/actuator/metrics';
    expect((await app.inject({ url: probe, headers: { authorization } })).statusCode).toBe(200);
    const refused = await run(['--url', url, '--username', 'admin'], 'wrong');
    expect([refused.status, refused.out, refused.err]).toEqual([2, '', expect.stringContaining('LOGIN_FAILED')]);
  });

  it('MFA-2 asks for the second factor after the password, and prints the token of the full session', async () => {
    const app = await bench.app();
    const url = asNewService(await app.listen({ host: '127.0.0.1', port: 0 }));
    const admin = await root(app);
    await setParameter(admin, 'admin.auth.second-factor.mode', 'OPTIONAL');
    const { id, secret } = (await admin.call('POST', '/auth/second-factors/totp', {})).json().data;
    const code = totpCodeAt(secret, Date.now());
    expect((await admin.call('POST', `/auth/second-factors/totp/${id}/confirm`, { code })).statusCode).toBe(200);
    const { codes } = (await admin.call('POST', '/auth/second-factors/recovery-codes')).json().data;

    const wrong = await run(['--url', url], '000000');
    expect([wrong.status, wrong.out, wrong.err]).toEqual([2, '', expect.stringContaining('SECOND_FACTOR_FAILED')]);
    const { status, out, err } = await run(['--url', url], codes[0]);
    expect([status, err]).toEqual([0, '']);
    const headers = { authorization: `Bearer ${out.trim()}` };
    expect((await app.inject({ url: '/admin/profile', headers })).statusCode).toBe(200);
    await setParameter(admin, 'admin.auth.second-factor.mode', 'OFF');
  });

  it('API-4 signs in at the port of this machine, unless told another address', async () => {
    const app = await bench.app();
    const { port } = new URL(asNewService(await app.listen({ host: '127.0.0.1', port: 0 })));
    const { status, out } = await run([], 'none', port);
    expect([status, out]).toEqual([0, expect.stringMatching(/^\S+\n$/)]);
  });

  it('API-4 says why it can not sign in, and shows its help', async () => {
    const unreachable = await run(['--url', 'http://127.0.0.1:1']);
    expect([unreachable.status, unreachable.err]).toEqual([2, expect.stringContaining('The sign-in failed.')]);
    expect((await run(['--nothing'])).status).toBe(2);
    expect(await run(['--help'])).toMatchObject({ status: 0, out: expect.stringContaining('Exit status'), err: '' });
  });

  it('OPS-12 without a server it says so, and how to start or find one', async () => {
    const port = await freePort();
    const fix = 'start it with `pnpm start`, or give its address by --url, or its port by SERVICE_PORT.';
    const err = `The sign-in failed. No server answers at http://127.0.0.1:${port}; ${fix}\n`;
    expect(await run([], 'none', `${port}`)).toEqual({ status: 2, out: '', err });
    expect(await run(['--url', `http://127.0.0.1:${port}/`])).toEqual({ status: 2, out: '', err });
  });

  it.each([
    [['--url', '127.0.0.1:3000'], undefined, '--url is not the address of a server; write http://'],
    [['--url', 'http://ada:pw@127.0.0.1'], undefined, '--url is not the address of a server; write http://'],
    [[], '6000', 'fetch failed: bad port'],
    [['--url', 'http://sallyport.invalid'], undefined, 'The host of http://sallyport.invalid is not known'],
    [[], 'http', 'SERVICE_PORT is not a port; write digits only'],
    [[], '0', 'SERVICE_PORT is 0, a free port; give --url'],
  ])('OPS-12 an address that is none is refused: %j with the port %s', async (argv, port, reason) => {
    const { status, out, err } = await run(argv, 'none', port);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`The sign-in failed. ${reason}`);
  });

  it.each([
    ['a page', 200, 'text/html', '<h1>Hello</h1>'],
    ['JSON of another service', 404, 'application/json', '{"message":"Not found"}'],
    ['null', 200, 'application/json', 'null'],
    ['a redirect', 301, 'text/html', ''],
  ])('OPS-12 an answer that is not of this service is named: %s', async (_name, answered, type, body) => {
    const server = createHttpServer((_request, response) => {
      response.writeHead(answered, { 'content-type': type, location: 'https://sallyport.invalid/' }).end(body);
    });
    const port = await listen(server);
    const { status, out, err } = await run([], 'none', `${port}`);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`The server at http://127.0.0.1:${port} is not this service (status ${answered}); give`);
    const secure = await run(['--url', `https://127.0.0.1:${port}`]);
    expect(secure.err).toContain(`The server at https://127.0.0.1:${port} does not use TLS; write http:// in --url.`);
  });

  it('OPS-12 what does not speak HTTP, or only under TLS, is named', async () => {
    const ssh = await listen(createServer((socket) => socket.on('error', () => {}).write('SSH-2.0-OpenSSH\r\n')));
    expect((await run([], 'none', `${ssh}`)).err).toContain(
      `The server at http://127.0.0.1:${ssh} is not this service`,
    );
    const unavailable = await listen(createHttpServer((_request, response) => response.writeHead(503).end()));
    expect((await run([], 'none', `${unavailable}`)).err).toBe(
      'The sign-in failed. The server answered 503; try again.\n',
    );
    const secure = await listen(createTlsServer());
    expect((await run([], 'none', `${secure}`)).err).toContain('if it speaks TLS, write https:// in --url');
    expect((await run(['--url', `https://127.0.0.1:${secure}`])).err).toContain('TLS');
    const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const untrusted = new TypeError('fetch failed', { cause });
    expect(whyUnanswered(untrusted, 'https://localhost')).toMatch(/The certificate of .+NODE_EXTRA_CA_CERTS/);
  });
});
