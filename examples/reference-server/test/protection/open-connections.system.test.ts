import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { answerTo, type OpenAnswer, openAnswer, sendRequest } from '../../../../scripts/open-answer.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type App, buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { formWith } from '../modules/files/multipart.js';
import { filesBelow, setParameter, stored, textFile } from '../modules/files/uploads.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { endings, senderOf } from '../support/held-requests.js';

/** Two seconds (TOK-14), plus time for a busy machine. */
const CUT_MILLIS = 4500;

/** More than the buffers of a connection hold, so that an answer that nobody reads stays open. */
const FILE_BYTES = 24 * 1024 * 1024;

describe.each([
  ['Redis', 'redis'],
  ['PostgreSQL', null],
] as const)('what is open, with sessions in %s', (_name, need) => {
  describe.skipIf(lacks(need))('on another node than the end of its session', () => {
    let database: TestDatabase;
    let folder: string;
    let nodes: App[];
    let admin: Actor;
    let port: number;
    let fileId: string;
    beforeAll(async () => {
      database = await createTestDatabase();
      folder = await mkdtemp(join(tmpdir(), 'sallyport-open-'));
      const config = readConfig({
        SERVICE_PROFILE: 'development',
        SERVICE_LOG_LEVEL: 'silent',
        SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
        SERVICE_NODES: '2',
        SERVICE_DATA_DIR: folder,
        SERVICE_STORAGE_DIR: join(folder, 'shared'),
        SERVICE_DATABASE_URL: database.url,
        ...(need !== null && {
          SERVICE_REDIS_URL: inject('redisUrl') as string,
          SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
        }),
        ...roomy,
      });
      nodes = [await buildApp(config), await buildApp(config)];
      const [one, other] = nodes as [App, App];
      admin = await root(other);
      await one.listen({ host: '127.0.0.1', port: 0 });
      port = (one.server.address() as AddressInfo).port;
      await setParameter(other, admin.headers, 'admin.storage.upload.max-size-mb', 30);
      fileId = await stored(other, admin.headers, textFile(FILE_BYTES));
      const text = 'x'.repeat(1000);
      const parameters = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`text${index}`, text]));
      const record = { action: 'test.fill', outcome: 'success', parameters } as const;
      for (let round = 0; round < 15; round += 1) {
        await Promise.all(Array.from({ length: 100 }, () => one.auditLog.record(record)));
      }
    }, 180_000);
    afterAll(async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const connections = () => promisify(nodes[0]!.server.getConnections.bind(nodes[0]!.server))();

    /** Its first bytes have arrived, and no more are read. */
    async function openUnread(url: string, token?: string): Promise<OpenAnswer> {
      const answer = await openAnswer(port, { url, ...(token !== undefined && { token }) });
      await expect.poll(() => answer.text().length).toBeGreaterThan(0);
      answer.pause();
      expect(answer.status).toBe(200);
      return answer;
    }

    it.each(['logout', 'the reset of the password', 'disabling'])(
      'TOK-14 an export, a download by ticket and an upload are cut after %s',
      async (way) => {
        const victim = await actor(nodes[1]!, admin, ['*']);
        const token = victim.headers.authorization.slice('Bearer '.length);
        const issued = await victim.call('POST', '/auth/tickets', { purpose: 'storage:download', resource: fileId });
        const { ticket } = issued.json().data;
        const unread = await Promise.all([
          openUnread('/admin/audit-records/export?format=csv', token),
          openUnread(`/public/storage/download?id=${fileId}&ticket=${ticket}`),
        ]);
        const { headers, payload } = formWith(textFile(100_000));
        const upload = sendRequest(port, { method: 'POST', url: '/admin/storage/files', token, headers });
        const answer = answerTo(upload);
        const closed = once(upload, 'close');
        upload.write(payload.subarray(0, 50_000));
        const incoming = async () => (await filesBelow(join(folder, 'shared', 'incoming'))).length;
        await expect.poll(incoming).toBe(1);
        expect(await connections()).toBe(3);

        const began = performance.now();
        const own = senderOf({ headers: victim.headers })!;
        expect(await endings[way]!.end(admin, own, nodes[1]!)).toBeLessThan(300);
        await expect.poll(connections, { timeout: CUT_MILLIS, interval: 50 }).toBe(0);
        await expect.poll(incoming, { timeout: CUT_MILLIS }).toBe(0);
        expect(performance.now() - began).toBeLessThan(2 * CUT_MILLIS);
        for (const each of unread) each.resume();
        expect(await Promise.all(unread.map(({ end }) => end))).toEqual(['cut', 'cut']);
        expect(Number(unread[1]?.headers['content-length'])).toBe(FILE_BYTES);
        expect(unread[1]?.text().length).toBeLessThan(FILE_BYTES);
        await closed;
        const refusal = await answer;
        await refusal.end;
        expect([refusal.status, JSON.parse(refusal.text()).code]).toEqual([
          401,
          expect.stringMatching(/SESSION_REVOKED|PASSWORD_CHANGED|ACCOUNT_DISABLED/),
        ]);
        const files = (await admin.call('GET', '/admin/storage/files')).json();
        expect(files.data).toHaveLength(1);
      },
    );
  });
});
