import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, root } from '../../support/accounts.js';
import { type AppActor, newAppUser, roomyApp } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { png, textFile, uploadTo } from './uploads.js';

const PATH = '/app/storage/files';

describe('files of app users', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let user: AppActor;
  let other: AppActor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomyApp);
    admin = await root(app);
    user = await newAppUser(app);
    other = await newAppUser(app);
  });
  afterAll(() => bench.close());

  async function storedBy(by: { headers: { authorization: string } }, file = textFile(10), path = PATH) {
    const response = await uploadTo(app, path, by.headers, file);
    expect(response.statusCode).toBe(201);
    return response.json().data as { id: string };
  }
  /** The id of an app user, as the list of files shows it. */
  async function ownerOf(id: string): Promise<string> {
    const { data } = (await admin.call('GET', '/admin/storage/files?size=200')).json();
    return data.find((file: { id: string }) => file.id === id).createdBy;
  }
  const ticketFor = (by: Pick<AppActor, 'call'>, resource: string) =>
    by.call('POST', '/auth/tickets', { purpose: 'storage:download', resource });
  const download = (id: string, ticket: string) => app.inject(`/public/storage/download?id=${id}&ticket=${ticket}`);

  it('UPL-11 an app user uploads a file and lists his own files only', async () => {
    const data = await storedBy(user, png);
    expect(data).toEqual({
      id: expect.any(String),
      fileName: 'pixel.png',
      extension: 'png',
      mediaType: 'image/png',
      size: png.content.length,
      sha256: expect.any(String),
      publicPreview: false,
      createdAt: expect.any(Number),
    });
    const second = await storedBy(user);
    const foreign = await storedBy(other);
    await storedBy(admin, textFile(10), '/admin/storage/files');
    expect((await user.call('GET', PATH)).json()).toMatchObject({
      data: [{ id: second.id }, { id: data.id }],
      page: { number: 1, size: 20, total: 2, next: null },
    });
    expect((await user.call('GET', `${PATH}?size=1&page=2`)).json().data).toEqual([data]);
    expect((await other.call('GET', PATH)).json().data).toMatchObject([{ id: foreign.id }]);
    const all = (await admin.call('GET', '/admin/storage/files')).json().data;
    const audiences = Object.fromEntries(
      all.map(({ id, createdByAudience }: { id: string; createdByAudience: string }) => [id, createdByAudience]),
    );
    expect(audiences).toMatchObject({ [data.id]: 'app', [foreign.id]: 'app' });
    expect(Object.values(audiences)).toContain('admin');
  });

  it('UPL-11 UPL-3 the same rules apply, and the routes of the other audience are closed', async () => {
    const refused = await uploadTo(app, PATH, user.headers, { ...png, name: 'pixel.exe' });
    expect(refused.json()).toMatchObject({ status: 415, code: 'UPLOAD_TYPE_REFUSED' });
    for (const [path, headers] of [
      [PATH, admin.headers],
      ['/admin/storage/files', user.headers],
    ] as const) {
      expect((await uploadTo(app, path, headers, png)).json()).toMatchObject({ code: 'PERMISSION_DENIED' });
      expect((await app.inject({ url: path, headers })).statusCode).toBe(403);
    }
    expect((await app.inject(PATH)).statusCode).toBe(401);
    const { id } = await storedBy(user);
    expect((await user.call('GET', `/admin/storage/files/${id}/content`)).statusCode).toBe(403);
    expect((await user.call('DELETE', `/admin/storage/files/${id}`)).statusCode).toBe(403);
  });

  it('UPL-11 IDM-11 an upload under a key is stored once, and its user can look the key up', async () => {
    const key = randomUUID();
    const keyed = (by: AppActor) => ({ ...by.headers, 'idempotency-key': key });
    const file = textFile(100);
    const answers = await Promise.all(Array.from({ length: 5 }, () => uploadTo(app, PATH, keyed(user), file)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect((await uploadTo(app, PATH, keyed(user), file)).json()).toMatchObject({ code: 'IDEMPOTENCY_SUBMITTED' });
    expect((await uploadTo(app, PATH, keyed(user), textFile(100))).json()).toMatchObject({
      code: 'IDEMPOTENCY_DIGEST_MISMATCH',
    });
    expect((await user.call('GET', `/idempotency/${key}`)).json().data).toEqual({
      state: 'SUBMITTED',
      requests: [{ method: 'POST', path: PATH, state: 'SUBMITTED' }],
    });
    expect((await other.call('GET', `/idempotency/${key}`)).statusCode).toBe(404);
    expect((await uploadTo(app, PATH, keyed(other), file)).statusCode).toBe(201);
  });

  it('UPL-11 TOK-10 an app user gets a ticket for his own file only, for one use', async () => {
    const [own, foreign] = [await storedBy(user), await storedBy(other)];
    const ofAdmin = await storedBy(admin, textFile(10), '/admin/storage/files');
    for (const resource of [foreign.id, ofAdmin.id, randomUUID(), 'x', `${own.id}' or '1'='1`]) {
      expect((await ticketFor(user, resource)).json()).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    }
    const issued = await ticketFor(user, own.id);
    expect(issued.statusCode).toBe(201);
    const { ticket } = issued.json().data;
    const answers = await Promise.all(Array.from({ length: 10 }, () => download(own.id, ticket)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect((await ticketFor(admin, own.id)).statusCode).toBe(201);
  });

  it('UPL-11 TOK-10 the ownership is checked again when a ticket is used', async () => {
    const { id } = await storedBy(user);
    const [lost, gone] = [
      (await ticketFor(user, id)).json().data.ticket,
      (await ticketFor(user, id)).json().data.ticket,
    ];
    const [owner, ofOther] = [await ownerOf(id), await ownerOf((await storedBy(other)).id)];
    const run = (owner: string) =>
      bench.database.orm.execute(`update stored_files set created_by = '${owner}' where id = '${id}'`);
    await run(ofOther);
    expect((await download(id, lost)).json()).toMatchObject({ code: 'TICKET_INVALID' });
    await run(owner);
    await admin.call('DELETE', `/admin/storage/files/${id}`);
    expect((await download(id, gone)).json()).toMatchObject({ code: 'TICKET_INVALID' });
  });

  it('UPL-11 an id that an administrator and an app user share does not mix their files', async () => {
    const { id } = await storedBy(user);
    await bench.database.orm.execute(`update stored_files set created_by_audience = 'admin' where id = '${id}'`);
    const listed = (await user.call('GET', PATH)).json().data;
    expect(listed.map((file: { id: string }) => file.id)).not.toContain(id);
    expect((await ticketFor(user, id)).statusCode).toBe(403);
  });

  it('AUD-8 UPL-11 an upload of an app user has its record, with the user as actor', async () => {
    const { id } = await storedBy(user);
    const subject = await ownerOf(id);
    const { data } = (await admin.call('GET', `/admin/audit-records?action=file.upload&actor=app:${subject}`)).json();
    expect(data.filter(({ target }: { target: string }) => target === id)).toMatchObject([
      { outcome: 'success', actor: `app:${subject}`, parameters: { detail: { size: 10 } } },
    ]);
  });
});
