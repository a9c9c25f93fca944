import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { type ServerProcess, startServer } from '../../reference-server/faults/server-process.js';
import { type AttackedWire, openWire } from './attacked-wire.js';
import { openSession, runJava, type Session, type SessionAnswer, type SessionOptions } from './java-program.js';

const BOOTSTRAP = '/encryption/public-key';
const TIME = '/encryption/time';
const OFF = JSON.stringify({ data: { mode: 'OFF', serverTime: Date.now() } });
const json = { 'content-type': 'application/json' };

// The first run compiles the sources, and each starts a virtual machine.
describe.skipIf(lacks('java'))('the client in Java', { timeout: 120_000 }, () => {
  describe('and the vectors', () => {
    it('API-1 holds for every vector of the package', async () => {
      const lines = await runJava('vectors');
      expect(lines.length).toBe(13);
      for (const line of lines) expect(line).toMatch(/^[\w-]+\.json: [1-9]\d* vectors, 0 failed$/);
    });

    it('API-1 notices each change of one member of a vector', async () => {
      const lines = await runJava('vectors', '--mutants');
      expect(lines.length).toBe(13);
      for (const line of lines) expect(line).toMatch(/^[\w-]+\.json: [1-9]\d* mutants, 0 survived$/);
    });
  });

  describe('and the reference server in mode REQUIRED', () => {
    let folder: string;
    let server: ServerProcess;
    let wire: AttackedWire;
    let session: Session | null = null;
    let keyId = '';

    /** Makes a new key the current one. The earlier one is not accepted any more. */
    async function rotate(): Promise<void> {
      keyId = `k-${randomUUID()}`;
      const file = join(folder, 'keys.json');
      const keys = { keyId, privateKey: `1${randomBytes(32).toString('hex').slice(1)}` };
      await writeFile(`${file}.new`, JSON.stringify(keys), { mode: 0o600 });
      await rename(`${file}.new`, file);
      if (server !== undefined) await vi.waitFor(async () => expect((await bootstrap()).keyId).toBe(keyId), 20_000);
    }

    async function bootstrap(): Promise<{ keyId: string; publicKey: string }> {
      const answer = await fetch(server.origin + BOOTSTRAP);
      return ((await answer.json()) as { data: { keyId: string; publicKey: string } }).data;
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sallyport-java-'));
      const provider = join(folder, 'key-provider.mjs');
      await copyFile(
        fileURLToPath(new URL('../../reference-server/key-providers/file.mjs', import.meta.url)),
        provider,
      );
      await rotate();
      server = await startServer({
        // All requests come from one address. A refused envelope costs twenty of them at the flood gate.
        ...{ SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '100000', SERVICE_FLOOD_GATE_MAX_REQUESTS: '100000' },
        ...{ SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_API_ENCRYPTION_MODE: 'REQUIRED' },
        ...{ SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: provider, SALLYPORT_KEY_FILE: join(folder, 'keys.json') },
      });
    });
    afterAll(async () => {
      await server?.kill();
      await rm(folder, { recursive: true, force: true });
    });
    beforeEach(async () => {
      wire = await openWire(server.origin);
    });
    afterEach(async () => {
      await session?.close();
      session = null;
      await wire.close();
    });

    function open(options: Omit<SessionOptions, 'baseUrl'> = {}): Session {
      session = openSession({ baseUrl: wire.origin, ...options });
      return session;
    }
    const captcha = { method: 'GET', target: '/admin/auth/captcha?for=login' };
    const login = {
      method: 'POST',
      target: '/admin/auth/login',
      body: JSON.stringify({ username: 'nobody', password: 'f'.repeat(64), terminal: 'web' }),
    };
    const served = { status: 200, protection: 'SEALED', contentType: 'application/json' } satisfies SessionAnswer;
    /** The envelopes of the sealed requests so far. */
    const sealed = () =>
      wire.passages
        .filter(({ headers }) => headers['api-encryption'] === 'v1')
        .map(({ target, body }) => {
          const text = body || Buffer.from(target.split('?__enc=')[1] ?? '', 'base64url').toString();
          return JSON.parse(text) as { kid: string; nonce: string; ts: number };
        });
    const inTheClear = () =>
      wire.passages.filter(({ headers, target }) => !('api-encryption' in headers) && target !== BOOTSTRAP);

    it('API-1 signs in, reads, writes and signs out, and nothing of it can be read on the wire', async () => {
      const { publicKey } = await bootstrap();
      const lines = await runJava('example', wire.origin, 'admin', 'sallyport-dev', publicKey);
      expect(lines).toEqual([
        expect.stringMatching(/^profile: 200, sealed \{"data":\{.*"username":"admin"/),
        expect.stringMatching(/^changed: 200, sealed \{"data":\{.*"username":"admin","displayName":"Zoë"/),
        expect.stringMatching(/^paid: 201, sealed .*"payee":"Ada","amount":"12.50"/),
        expect.stringMatching(/^repeated: 409, sealed .*"code":"IDEMPOTENCY_SUBMITTED"/),
        expect.stringMatching(/^payments: 200, sealed \{"data":\[\{.*"page":\{.*"number":1,"total":1\}/),
        'signed out: 204 ',
        expect.stringMatching(/^refused: 401 .*"code":"SESSION_REVOKED"/),
      ]);
      expect(sealed()).toHaveLength(8);
      expect(inTheClear()).toEqual([]);
      const seen = wire.passages
        .filter(({ status, target }) => status !== 401 && target !== BOOTSTRAP)
        .map(({ target, body, answer }) => target + body + answer)
        .join('\n');
      // No ciphertext has a quote. A short word alone is found in one of some thirty.
      for (const secret of ['"Ada"', '12.50', 'Zoë', 'displayName', 'size=2', 'sallyport-dev', '"token"']) {
        expect(seen).not.toContain(secret);
      }
    });

    const timesAsked = () => wire.passages.filter(({ target }) => target === TIME).length;

    it('API-1 ENV-16 corrects its clock by the bootstrap, eight minutes slow, or fast by an hour or a year', async () => {
      for (const clockOffsetMillis of [-500_000, 3_600_000, 365 * 86_400_000]) {
        const client = open({ clockOffsetMillis });
        expect(await client.send(captcha)).toMatchObject(served);
        await client.close();
      }
      expect(sealed()).toHaveLength(3);
      expect(timesAsked()).toBe(0);
    });

    it('API-1 ENV-16 corrects its clock by a sealed time, slow by an hour, a day or a year', async () => {
      for (const clockOffsetMillis of [-3_600_000, -86_400_000, -365 * 86_400_000]) {
        const client = open({ clockOffsetMillis });
        expect(await client.send(captcha)).toMatchObject(served);
        expect(await client.send(captcha)).toMatchObject(served);
        await client.close();
      }
      expect(sealed()).toHaveLength(9);
      expect(timesAsked()).toBe(3);
    });

    it('API-1 corrects its clock by a refusal, and sends again only what is harmless', async () => {
      // As after a night in which the machine slept: the bootstrap was right once.
      const late = (body: string) => body.replace(/"serverTime":(\d+)/, (_, ms) => `"serverTime":${ms - 3_600_000}`);
      wire.attack = { change: ({ target }, body) => (target === BOOTSTRAP ? late(body) : body) };
      const client = open();
      expect(await client.send(login)).toMatchObject({ status: 400, protection: 'MISSING' });
      expect(sealed()).toHaveLength(1);
      expect(await client.send(captcha)).toMatchObject(served);
      expect(sealed()).toHaveLength(2);
      await client.close();

      expect(await open().send(captcha)).toMatchObject(served);
      const [refused, repeated] = sealed().slice(-2);
      expect(sealed()).toHaveLength(4);
      expect(repeated!.nonce).not.toBe(refused!.nonce);
      expect(repeated!.ts - refused!.ts).toBeGreaterThan(3_500_000);
    });

    it('API-1 reads the time of the bootstrap where a refusal tells none', async () => {
      let bootstraps = 0;
      wire.attack = {
        change({ target }, body) {
          if (target !== BOOTSTRAP) return body.replace(/,"serverTime":\d+/, '');
          bootstraps += 1;
          return bootstraps === 1 ? body.replace(/"serverTime":(\d+)/, '"serverTime":1000000000000') : body;
        },
      };
      expect(await open().send(captcha)).toMatchObject(served);
      expect(bootstraps).toBe(2);
      expect(sealed()).toHaveLength(2);
    });

    it('API-1 ENV-16 is moved ten minutes ahead at most by who ends TLS', async () => {
      const ahead = (body: string) => body.replace(/"serverTime":(\d+)/, (_, ms) => `"serverTime":${+ms + 82_800_000}`);
      const change: AttackedWire['attack']['change'] = ({ target }, body) =>
        target === BOOTSTRAP ? ahead(body) : body;
      // The question gets through: the sealed time is right.
      wire.attack = { change };
      const told = open();
      expect(await told.send(captcha)).toMatchObject(served);
      await told.close();
      expect(timesAsked()).toBe(1);
      for (const { ts } of sealed()) expect(ts).toBeLessThan(Date.now() + 60_000);

      // He answers it himself: with an earlier answer, or in the clear.
      const earlier = wire.passages.find(({ target }) => target === TIME)!.answer;
      for (const headers of [json, { ...json, 'api-encryption': 'v1' }]) {
        wire.attack = {
          change,
          answer: ({ target }) => (target === TIME ? { status: 200, headers, body: earlier } : null),
        };
        const client = open();
        expect(await client.send(login)).toMatchObject({ status: 400, protection: 'MISSING' });
        await client.close();
        expect(sealed().at(-1)!.ts).toBeGreaterThan(Date.now() + 540_000);
        expect(sealed().at(-1)!.ts).toBeLessThan(Date.now() + 601_000);
      }
    });

    it('API-1 follows a change of the key, and sends the request again in an envelope for the new one', async () => {
      const client = open();
      expect(await client.send(login)).toMatchObject({ status: 401, protection: 'SEALED' });
      await rotate();
      expect(await client.send(login)).toMatchObject({ status: 401, protection: 'SEALED' });
      const kids = sealed().map(({ kid }) => kid);
      expect(kids).toEqual([kids[0], kids[0], keyId]);
      expect(kids[0]).not.toBe(keyId);
    });

    it('API-1 serves sixteen threads at once, also when the key changes', async () => {
      const client = open();
      for (const changes of [false, true]) {
        if (changes) await rotate();
        const answers = await client.sendAtOnce(captcha, 16);
        expect(answers.map(({ status, protection }) => ({ status, protection }))).toEqual(
          Array.from({ length: 16 }, () => ({ status: 200, protection: 'SEALED' })),
        );
      }
      const nonces = sealed().map(({ nonce }) => nonce);
      expect(nonces.length).toBeGreaterThan(32);
      expect(new Set(nonces).size).toBe(nonces.length);
    });

    it('API-1 seals for pinned keys only', async () => {
      const { publicKey } = await bootstrap();
      const client = open({ trustedKeys: [publicKey] });
      expect(await client.send(captcha)).toMatchObject(served);
      await rotate();
      expect(await client.send(login)).toEqual({ error: 'SERVER_KEY_UNTRUSTED' });
      expect(sealed()).toHaveLength(2);
      await client.close();

      const pinned = open({ trustedKeys: [publicKey, (await bootstrap()).publicKey] });
      expect(await pinned.send(captcha)).toMatchObject(served);
    });

    it('API-1 sends nothing in the clear once it has sealed a request, whatever it is told', async () => {
      const client = open();
      expect(await client.send(captcha)).toMatchObject(served);
      const unknown = { status: 400, headers: json, body: '{"code":"ENVELOPE_KEY_UNKNOWN"}' };
      wire.attack = {
        answer: ({ target }) => (target === BOOTSTRAP ? { status: 200, headers: json, body: OFF } : unknown),
      };
      expect(await client.send(login)).toEqual({ error: 'ENCRYPTION_DOWNGRADE' });
      expect(await client.send(login)).toEqual({ error: 'ENCRYPTION_DOWNGRADE' });
      await client.renew();
      expect(await client.send(login)).toEqual({ error: 'ENCRYPTION_DOWNGRADE' });
      expect(inTheClear()).toEqual([]);

      wire.attack = {
        answer: ({ target }) => (target === BOOTSTRAP ? { status: 200, headers: json, body: OFF } : null),
      };
      await client.acceptOff();
      expect(await client.send(login)).toMatchObject({ status: 400, protection: 'NONE' });
      expect(inTheClear()).toHaveLength(1);
    });

    it('API-1 sends nothing in the clear where encryption is required or a key is pinned', async () => {
      const { publicKey } = await bootstrap();
      wire.attack = { answer: () => ({ status: 200, headers: json, body: OFF }) };
      for (const options of [{ requireEncryption: true }, { trustedKeys: [publicKey] }]) {
        const client = open(options);
        expect(await client.send(login)).toEqual({ error: 'ENCRYPTION_DOWNGRADE' });
        await client.close();
      }
      expect(inTheClear()).toEqual([]);
    });

    it('API-1 refuses answers that are not those of the service to this request', async () => {
      const client = open();
      await client.send(captcha);
      const stale = wire.passages.at(-1)!.answer;
      const asked = (forgery: { status: number; headers: Record<string, string>; body: string }) => {
        wire.attack = { answer: ({ target }) => (target === BOOTSTRAP ? null : forgery) };
        return client.send(captcha);
      };
      const envelope = { ...json, 'api-encryption': 'v1' };
      const refused = { error: 'RESPONSE_REFUSED' };
      expect(await asked({ status: 200, headers: json, body: '{"data":{"enabled":false}}' })).toEqual(refused);
      expect(await asked({ status: 200, headers: envelope, body: stale })).toEqual(refused);
      expect(await asked({ status: 200, headers: envelope, body: '' })).toEqual(refused);
      const elsewhere = { ...json, location: `${server.origin}/actuator/health` };
      expect(await asked({ status: 302, headers: elsewhere, body: '' })).toMatchObject({
        ...{ status: 302, protection: 'MISSING' },
      });
      wire.attack = {};
      expect(await client.send(captcha)).toMatchObject(served);
    });

    it('API-1 sends exempt routes in the clear, and a HEAD or a 204 is no forgery', async () => {
      const client = open({ exempt: ['/actuator/:kind GET'] });
      expect(await client.send({ method: 'GET', target: '/actuator/health' })).toMatchObject({ protection: 'NONE' });
      expect(await client.send({ method: 'GET', target: '/actuator/metrics' })).toMatchObject({ protection: 'NONE' });
      expect(inTheClear()).toHaveLength(2);
      expect(await client.send({ ...captcha, method: 'HEAD' })).toMatchObject({ protection: 'MISSING', text: '' });
    });

    it('API-1 waits for a bootstrap no longer than its caller does, also where it trickles', async () => {
      for (const trickles of [false, true]) {
        wire.attack = {
          hold({ target }, response) {
            if (target !== BOOTSTRAP) return false;
            if (trickles) response.writeHead(200, json).write('{');
            return true;
          },
        };
        const client = open({ timeoutMillis: 1500 });
        const began = Date.now();
        expect(await client.send(captcha)).toEqual({ error: 'HttpTimeoutException' });
        expect(Date.now() - began).toBeLessThan(10_000);
        await client.close();
      }
      expect(wire.passages).toEqual([]);
    });
  });
});
