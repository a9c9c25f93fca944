import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHashPasswordsCommand } from '../../../src/commands/hash-passwords-command.js';
import { passwordToSend } from '../../../src/modules/administrators/development-account.js';
import { openBreachedPasswords } from '../../../src/modules/passwords/index.js';
import { actor, PASSWORD, roomy, root } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { openTestBench } from '../../support/test-app.js';
import { writingRequests } from '../../support/writing-requests.js';

const LEAKED = 'kf83-hq02-mmx1';
const PASSWORDS = [LEAKED, '泄露的密码', 'correct staple', 'a', ' with spaces '];

const openFile = (path: string | null) => openBreachedPasswords({ 'auth.password.breached-file': path });

describe('breached passwords', () => {
  let folder: string;
  let file: string;

  /** The file that the documented command makes, with the sort of the system. */
  async function madeOf(words: string): Promise<string> {
    const output = new PassThrough();
    const faults: string[] = [];
    const writing = runHashPasswordsCommand({
      argv: [],
      input: Readable.from([Buffer.from(words)]),
      output,
      writeError: (fault) => void faults.push(fault),
    });
    const hashes = text(output);
    expect([await writing, faults]).toEqual([0, []]);
    output.end();
    const path = join(folder, randomUUID());
    const env = { PATH: process.env.PATH, LC_ALL: 'C' };
    await writeFile(path, execFileSync('sort', ['-u'], { input: await hashes, env, maxBuffer: 1e8 }));
    return path;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-breached-'));
    file = await madeOf(`${PASSWORDS.join('\r\n')}\n\n${LEAKED}\n`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('PWD-4 the command writes the hash of each password as clients send it, and the search finds each', async () => {
    const breached = (await openFile(file))!;
    for (const password of PASSWORDS) {
      expect(await breached.has(passwordToSend(password)), password).toBe(true);
      expect(await breached.has(passwordToSend(password).toUpperCase())).toBe(true);
      expect(await breached.has(password)).toBe(true);
      expect(await breached.has(passwordToSend(`${password}.`))).toBe(false);
    }
    for (const sent of ['', '0'.repeat(64), 'f'.repeat(64), 'x'.repeat(64), randomBytes(16).toString('base64url')]) {
      expect(await breached.has(sent)).toBe(false);
    }
    await breached.close();
    expect(await openFile(null)).toBeNull();
  });

  it('PWD-4 finds every hash of a larger file, and no other', async () => {
    const hashes = Array.from({ length: 5000 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'));
    const path = join(folder, 'large');
    await writeFile(
      path,
      hashes
        .toSorted()
        .map((hash) => `${hash}\n`)
        .join(''),
    );
    const breached = (await openFile(path))!;
    const found = await Promise.all(hashes.map((hash) => breached.has(hash)));
    expect(found.filter(Boolean)).toHaveLength(5000);
    const others = hashes.map((hash) => createHash('sha256').update(hash).digest('hex'));
    expect((await Promise.all(others.map((hash) => breached.has(hash)))).filter(Boolean)).toEqual([]);
    // A file that is cut while it is open answers no question with no.
    await truncate(path, 650);
    await expect(breached.has(hashes[0]!)).rejects.toThrow('SERVICE_AUTH_PASSWORD_BREACHED_FILE was changed');
    await breached.close();
  });

  it('PWD-4 OPS-10 refuses a file that it can not search, with the reason and what to do', async () => {
    const [low, high] = ['1'.repeat(64), '2'.repeat(64)];
    const bad: readonly (readonly [content: string, reason: string])[] = [
      ['', 'its size is not that of lines of 65 bytes'],
      [`${low}\n${high}`, 'its size is not that of lines of 65 bytes'],
      [`${high}\n${low}\n`, 'line 2 is not in its order'],
      [`${low}\n${low}\n`, 'line 2 is not in its order'],
      [`${low}\n${'A'.repeat(64)}\n`, 'line 2 is not 64 lower-case hex digits'],
      [`${`${low}\n`.repeat(4999)}${high}\n`, 'is not in its order'],
    ];
    const path = join(folder, 'bad');
    for (const [content, reason] of bad) {
      await writeFile(path, content);
      const fault = `SERVICE_AUTH_PASSWORD_BREACHED_FILE is no sorted file of hashes: `;
      const opening = openFile(path);
      await expect(opening).rejects.toThrow(fault);
      await expect(opening).rejects.toThrow(reason);
      await expect(opening).rejects.toThrow(/; write it with .+hash-passwords\.js, and sort it/);
    }
    await expect(openFile(folder)).rejects.toThrow('SERVICE_AUTH_PASSWORD_BREACHED_FILE is not a file; name');
    await expect(openFile(join(folder, 'none'))).rejects.toThrow('can not be read: ENOENT; name a file');
  });

  it('PWD-4 every route that sets a password refuses one that leaked, and takes others', async () => {
    const bench = await openTestBench();
    const app = await bench.app({ ...roomy, SERVICE_AUTH_PASSWORD_BREACHED_FILE: file });
    const admin = await root(app);
    const setting = [
      'POST /admin/auth/register',
      'PUT /admin/profile/password',
      'POST /admin/administrators',
      'PUT /admin/administrators/:id/password',
      'POST /app/auth/recoverPassword',
    ];
    for (const route of setting) {
      const request = await writingRequests[route]!({ app, bench, admin });
      const member = Object.keys(request.payload as object).find((name) => /^(?:newP|p)assword$/.test(name))!;
      const payload = { ...(request.payload as object), [member]: passwordToSend(LEAKED) };
      const headers = { ...request.headers, 'idempotency-key': randomUUID() };
      const refused = (await app.inject({ ...request, headers, payload })).json();
      expect({ route, ...refused }).toMatchObject({ route, code: 'PASSWORD_COMMON' });
      expect((await app.inject(request)).statusCode, route).toBeLessThan(300);
    }
    const user = await newAppUser(app);
    const own = { smsCode: '000000', newPassword: passwordToSend(LEAKED) };
    const change = await app.inject({
      method: 'PUT',
      url: '/app/profile/password',
      headers: user.headers,
      payload: own,
    });
    expect(change.json().code).toBe('PASSWORD_COMMON');
    const { call } = await actor(app, admin, []);
    const good = { oldPassword: PASSWORD, newPassword: passwordToSend(`${LEAKED}.`) };
    expect((await call('PUT', '/admin/profile/password', good)).statusCode).toBe(204);
    await bench.close();
  });
});
