// What each package promises next to a neighbour. A function ends with 'holds' or with 'refuses with CODE', and throws
// where the protection is off and nobody is told.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import auditLog from '@sallyport/audit-log';
import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import clientIp from '@sallyport/client-ip';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import idempotency from '@sallyport/idempotency';
import loginPolicy from '@sallyport/login-policy';
import replayGuard from '@sallyport/replay-guard';
import systemParameters, { adminParameterRoutes, publicParametersRoute } from '@sallyport/system-parameters';
import uploadPolicy, { createFileDestination } from '@sallyport/upload-policy';
import { answerOf, expectRefusal, outcomeOf, PAID, SilentError } from './laboratory.mjs';

/** How long a record may come after the answer, in milliseconds. */
const MAX_LATER_MILLIS = 5000;

async function serveSealed({ serve, stores }) {
  const server = await serve({
    async register(app) {
      const privateKey = randomBytes(32).toString('hex');
      await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey });
      await app.register(replayGuard, { store: await stores.ttl() });
      await app.register(publicKeyRoute);
    },
  });
  const sent = [];
  const heard = [];
  const client = createEnvelopeClient({
    baseUrl: server.base,
    async fetch(input, init) {
      const request = new Request(input, init);
      const copy = request.clone();
      const response = await server.fetch(request);
      if (new URL(request.url).pathname === server.path) {
        sent.push(copy);
        heard.push(await response.clone().text());
      }
      return response;
    },
  });
  const askSealed = async () => answerOf(await client.fetch(server.path, server.init));
  return { server, sent, heard, askSealed };
}

export const protections = {
  async 'auth-tokens'({ serve, stores }) {
    const store = await stores.ttl();
    const server = await serve({
      config: { access: 'admin' },
      register: (app) => app.register(authTokens, { store, issuer: 'https://a', signingKey: generateSigningKey() }),
    });
    expectRefusal(server, await server.ask(), 'TOKEN_MISSING');
    const { token } = await server.app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
    const authorization = `Bearer ${token}`;
    const outcome = outcomeOf(await server.ask({ authorization }));
    await server.app.authTokens.revokeAll({ subject: 'u-1', audience: 'admin' });
    server.runs = 0;
    expectRefusal(server, await server.ask({ authorization }), 'SESSION_REVOKED');
    return outcome;
  },

  async 'audit-log'({ serve, stores }) {
    const { sink, records } = await stores.audit();
    const server = await serve({
      config: { audit: { action: 'payment.make' } },
      register: (app) => app.register(auditLog, { sink }),
    });
    const outcome = outcomeOf(await server.ask());
    if (outcome !== 'holds' && server.runs === 0) return outcome;
    const isKept = async () =>
      (await records()).some((record) => record.action === 'payment.make' && record.outcome === 'success');
    const deadline = Date.now() + MAX_LATER_MILLIS;
    while (!(await isKept()) && Date.now() < deadline) await sleep(20);
    if (!(await isKept())) throw new SilentError(`no record of the payment: ${JSON.stringify(await records())}`);
    return outcome;
  },

  async idempotency({ serve, stores }) {
    const store = await stores.idempotency();
    const server = await serve({
      config: { idempotency: true },
      register: (app) => app.register(idempotency, { store, principalOf: () => 'ada' }),
    });
    expectRefusal(server, await server.ask(), 'IDEMPOTENCY_KEY_REQUIRED');
    const headers = { 'idempotency-key': randomUUID() };
    const outcome = outcomeOf(await server.ask(headers));
    if (outcome !== 'holds') return outcome;
    const again = await server.ask(headers);
    assert.equal(server.runs, 1, 'a retry ran the operation again');
    return again.code === 'IDEMPOTENCY_SUBMITTED' ? outcome : outcomeOf({ ...again, text: '' });
  },

  async 'envelope-crypto'(laboratory) {
    const { server, heard, askSealed } = await serveSealed(laboratory);
    expectRefusal(server, await server.ask(), 'ENVELOPE_REQUIRED');
    const answer = await askSealed();
    if (heard.some((text) => text.includes(PAID))) throw new SilentError(`the answer left in the clear: ${heard}`);
    return outcomeOf(answer);
  },

  async 'replay-guard'(laboratory) {
    const { server, sent, askSealed } = await serveSealed(laboratory);
    const answer = await askSealed();
    const [first] = sent;
    const runs = server.runs;
    const again = await answerOf(await server.fetch(first.clone()));
    assert.equal(server.runs, runs, 'a replay ran the operation again');
    if (again.code === 'ENVELOPE_EXPIRED_OR_REPLAYED') return 'holds';
    return again.code === answer.code ? outcomeOf(again) : outcomeOf({ ...again, text: '' });
  },

  async 'client-ip'({ serve }) {
    const server = await serve({
      register: (app) => app.register(clientIp, { trustedProxies: ['127.0.0.1'] }),
      // Behind a proxy of this process, the application hands it on.
      run: async (request) => `${PAID} by ${request.clientIp ?? request.headers['x-client-ip']}`,
    });
    const answer = await server.ask({ 'x-forwarded-for': '6.6.6.6, 198.51.100.7' });
    assert.match(answer.text, /by 198\.51\.100\.7/);
    return outcomeOf(answer);
  },

  async 'login-policy'({ serve, stores }) {
    const store = await stores.ttl();
    let checks = 0;
    const server = await serve({
      register: (app) => app.register(loginPolicy, { store, policy: { failureCount: 2, lockSeconds: 600 } }),
      async run(_request, app) {
        const check = async () => {
          checks += 1;
          return null;
        };
        await app.loginPolicy.attempt({ username: 'ada', terminal: 'web', clientIp: '192.0.2.1' }, check);
        return 'wrong password';
      },
    });
    const answers = [await server.ask(), await server.ask(), await server.ask()];
    const texts = answers.map(({ text }) => text);
    if (checks === 0) return outcomeOf(answers[0]);
    assert.equal(checks, 2, `a locked name was checked: ${texts}`);
    assert.deepEqual(
      texts.map((text) => text.includes('wrong password')),
      [true, true, false],
      String(texts),
    );
    return 'holds';
  },

  async 'upload-policy'({ serve }) {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-uploads-'));
    try {
      const server = await serve({
        register: (app) => app.register(uploadPolicy, { policy: { allowedExtensions: 'txt,pdf' } }),
        routes(app) {
          const destination = () => createFileDestination({ folder, keep: async (file) => ({ size: file.size }) });
          app.post('/files', async (request) => app.uploadPolicy.receive(request, destination()));
        },
      });
      const upload = (name) => {
        const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n`;
        const body = `${head}Content-Type: text/plain\r\n\r\nsome text\r\n--b--\r\n`;
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        return server.send('/files', { method: 'POST', headers, body });
      };
      const refused = await upload('note.exe');
      assert.equal(refused.code, 'UPLOAD_TYPE_REFUSED', refused.text);
      return outcomeOf(await upload('note.txt'), (text) => text.includes('text/plain'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },

  async 'system-parameters'({ serve, stores }) {
    const source = await stores.parameters();
    const items = { key: 'shop.items', type: 'INTEGER', default: 20, minimum: 1, maximum: 100, isPublic: true };
    const tables = [{ definitions: { items: { ...items, description: 'Items on a page' } } }];
    const server = await serve({
      async register(app) {
        await app.register(systemParameters, { tables, source });
        await app.register(publicParametersRoute);
        await app.register(adminParameterRoutes, { changedBy: () => 'ada' });
      },
    });
    const answer = await server.send('/public/system-parameters');
    const outcome = outcomeOf(answer, (text) => text.includes('"shop.items":20'));
    if (outcome !== 'holds') return outcome;
    const { version } = await server.app.systemParameters.find('shop.items');
    const changed = await server.send('/admin/system-parameters/shop.items', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: 30, version }),
    });
    if (changed.status !== 200) return outcomeOf({ ...changed, text: '' });
    const later = await server.send('/public/system-parameters');
    return outcomeOf(later, (text) => text.includes('"shop.items":30'));
  },

  async 'ttl-store'({ stores }) {
    const store = await stores.ttl();
    assert.equal((await store.increment('a', 60_000)).value, 1);
    const claims = await Promise.all([1, 2, 3].map(() => store.setIfAbsent('b', '', 60_000)));
    assert.equal(claims.filter(Boolean).length, 1);
    assert.equal(await store.take('b'), '');
    return 'holds';
  },
};
