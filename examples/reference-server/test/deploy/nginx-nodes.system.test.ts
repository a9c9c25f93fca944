import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { credentials } from '../support/test-app.js';
import { ask, CLIENT_ADDRESS, fetchThrough } from './nginx-client.js';
import { type NginxProcess, SERVER_NAME, startNginx } from './nginx-process.js';

// Two servers and nginx start slowly on a busy machine.
describe.skipIf(lacks('nginx', 'openssl'))(
  'two nodes behind nginx',
  {
    timeout: 120_000,
  },
  () => {
    let database: TestDatabase;
    let folder: string;
    let nodes: ServerProcess[] = [];
    let nginx: NginxProcess;
    let token: string;

    beforeAll(async () => {
      database = await createTestDatabase();
      folder = await mkdtemp(join(tmpdir(), 'sallyport-behind-nginx-'));
      const environment = {
        SERVICE_DATA_DIR: folder,
        SERVICE_NODES: '2',
        SERVICE_DATABASE_URL: database.url,
        SERVICE_TRUSTED_PROXIES: '127.0.0.1',
        SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      };
      // The first node creates the shared schema.
      for (let i = 0; i < 2; i += 1) nodes.push(await startServer(environment));
      nginx = await startNginx(nodes.map(({ port }) => port));
      token = JSON.parse((await signIn()).text).data.token;
    }, 240_000);
    afterAll(async () => {
      await nginx?.stop();
      await Promise.all(nodes.map((node) => node.kill()));
      nodes = [];
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const bearer = () => ({ authorization: `Bearer ${token}` });
    const signIn = (headers = {}) =>
      ask(nginx, '/admin/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(credentials),
      });

    it('IP-1 IP-2 HTTP-3 LP-06 the session has the real address of the client, whatever its headers say, and nginx sets the request id', async () => {
      const forged = {
        'x-forwarded-for': '6.6.6.6',
        'x-real-ip': '6.6.6.6',
        forwarded: 'for=6.6.6.6',
        'x-request-id': 'forged-request-id',
      };
      const response = await signIn(forged);
      expect(response.status).toBe(200);
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
      const { token: own } = JSON.parse(response.text).data;
      const sessions = await ask(nginx, '/admin/sessions', { headers: { authorization: `Bearer ${own}` } });
      const current = JSON.parse(sessions.text).data.find((session: { current: boolean }) => session.current);
      expect(current.clientIp).toBe(CLIENT_ADDRESS);
    });

    it('OPS-9 two nodes in turn behave as one, and the log of nginx has neither query nor token', async () => {
      for (let i = 0; i < 6; i += 1) {
        const { status } = await ask(nginx, `/admin/profile?access_token=secret-${i}`, { headers: bearer() });
        expect(status).toBe(200);
      }
      const lines = (await nginx.log()).filter(({ path }) => path === '/admin/profile');
      expect(new Set(lines.map(({ node }) => node)).size).toBe(2);
      expect(JSON.stringify(await nginx.log())).not.toMatch(/secret-|eyJ/);
    });

    it('OPS-9 encrypted bodies and queries work through nginx on either node', async () => {
      const client = createEnvelopeClient({ baseUrl: `https://${SERVER_NAME}`, fetch: fetchThrough(nginx) });
      const headers = { ...bearer(), 'content-type': 'application/json' };
      for (const displayName of ['Ada', 'Grace']) {
        const body = JSON.stringify({ displayName });
        const written = await client.fetch('/admin/profile', { method: 'PUT', headers, body });
        expect(await written.json()).toMatchObject({ data: { displayName } });
        const read = await client.fetch('/admin/sessions?size=5', { headers: bearer() });
        expect(await read.json()).toMatchObject({ page: { size: 5 } });
      }
    });

    it('SV-06 nginx passes an unusual spelling of a path to the node without normalising it', async () => {
      expect((await ask(nginx, '/%61dmin/profile')).status).toBe(401);
      expect((await ask(nginx, '/%61dmin/profile', { headers: bearer() })).status).toBe(200);
      expect((await ask(nginx, '//admin//profile', { headers: bearer() })).status).toBe(404);
    });

    it('OPS-7 REL-10 while one node is down the other answers every read, and health stays UP', async () => {
      expect(JSON.parse((await ask(nginx, '/actuator/health')).text)).toEqual({ status: 'UP' });
      await nodes[0]!.kill();
      for (let i = 0; i < 10; i += 1) {
        expect((await ask(nginx, '/admin/profile', { headers: bearer() })).status).toBe(200);
        expect((await ask(nginx, '/actuator/health')).status).toBe(200);
      }
      // The other node handles a write that no node has begun.
      expect((await signIn()).status).toBe(200);
    });
  },
);
