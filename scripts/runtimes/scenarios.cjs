// What each package has to do in a runtime, beyond being loaded (ADP-9). `load` is `import()` or `require()`. A plugin
// is registered as `load` gives it, and its server answers by `inject` and over a socket.
const assert = require('node:assert/strict');
const { createHash, randomBytes } = require('node:crypto');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** A busy service starts its thread at 50 unwraps in a tenth of a second. Slow machines get more tries. */
const MAX_BURSTS = 30;

const json = { 'content-type': 'application/json' };

/** A server with some plugins, and what asks it by both ways. */
async function serverOf(load, prepare) {
  const { default: Fastify } = await load('fastify');
  const log = [];
  const app = Fastify({ disableRequestLogging: true, logger: { stream: { write: (line) => log.push(line) } } });
  await prepare(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${app.server.address().port}`;
  const byInject = async ({ method = 'GET', path, headers = {}, body }) => {
    const response = await app.inject({ method, url: path, headers, payload: body });
    return { status: response.statusCode, text: response.body };
  };
  const bySocket = async ({ method = 'GET', path, headers = {}, body }) => {
    const response = await fetch(base + path, { method, headers, body });
    return { status: response.status, text: await response.text() };
  };
  return { app, base, log, ways: [byInject, bySocket] };
}

/** The answer has this status and contains this text. */
function expectAnswer({ status, text }, expected, contained) {
  assert.equal(status, expected, text);
  assert.ok(text.includes(contained), `${contained} is not in ${text}`);
}

const memoryStore = async (load) => (await load('@sallyport/ttl-store')).createMemoryStore();

async function envelopeServer(load, backend) {
  const { publicKeyRoute } = await load('@sallyport/envelope-crypto');
  const store = await memoryStore(load);
  const server = await serverOf(load, async (app) => {
    const privateKey = randomBytes(32).toString('hex');
    const options = { mode: 'REQUIRED', keyId: 'k', privateKey, backend, kernelThread: true };
    await app.register(await load('@sallyport/envelope-crypto'), options);
    await app.register(await load('@sallyport/replay-guard'), { store });
    await app.register(publicKeyRoute);
    app.post('/payments', async (request) => ({ data: request.body }));
  });
  assert.equal(server.app.envelopeCrypto.backend.name, backend);
  return server;
}

/** Sends requests until a thread of the kernel has begun to work, and then some more. */
async function keepBusy(client, log) {
  const hasThread = () => log.some((line) => line.includes('a kernel thread unwraps base keys'));
  const burst = async () => {
    const requests = Array.from({ length: 100 }, () => client.fetch('/payments', { method: 'POST', body: '{}' }));
    for (const { status } of await Promise.all(requests)) assert.equal(status, 200);
  };
  for (let bursts = 0; !hasThread() && bursts < MAX_BURSTS; bursts++) await burst();
  assert.ok(hasThread(), `no kernel thread after ${MAX_BURSTS} bursts`);
  await burst();
}

/** Every package. @type {Record<string, (load: (specifier: string) => any) => Promise<void>>} */
module.exports = {
  async 'plugin-kit'(load) {
    const { readOptions, SetupError, wholeNumber } = await load('@sallyport/plugin-kit/options');
    class OwnError extends SetupError {
      constructor(subject, faults) {
        super('OWN_SETUP_INVALID', subject, faults);
      }
    }
    const rules = { seconds: wholeNumber({ min: 1, max: 60, default: 5 }) };
    const read = (given) => readOptions({ subject: 'own', SetupError: OwnError }, given, rules);
    assert.deepEqual({ ...read({}) }, { seconds: 5 });
    assert.throws(() => read({ second: 5 }), /did you mean seconds/);

    const { createBoundedCall, withinDeadline } = await load('@sallyport/plugin-kit/deadlines');
    const call = createBoundedCall({ timeoutMillis: 1000, maxUnsettled: 10 });
    assert.equal(await call(async () => 'done'), 'done');
    const late = withinDeadline(new Promise(() => {}), 20, () => new Error('late'));
    await assert.rejects(late, /late/);

    const { networkKey, parseIp } = await load('@sallyport/plugin-kit/addresses');
    assert.equal(networkKey(parseIp('2001:DB8:1:2::3')), '2001:db8:1:2::/64');

    const { requireScope } = await load('@sallyport/plugin-kit/routes');
    const needApplication = (app) => requireScope(app, { subject: 'guard', SetupError: OwnError, scope: 'app' });
    const { default: Fastify } = await load('fastify');
    const app = Fastify();
    needApplication(app);
    await assert.rejects(async () => app.register(async (child) => needApplication(child)), /scope: 'encapsulated'/);
    await app.close();
  },

  async masking(load) {
    const { maskSensitive } = await load('@sallyport/masking');
    const masked = JSON.stringify(maskSensitive({ user: 'ada', deep: [{ url: 'https://h/?token=hunter2' }] }));
    assert.match(masked, /ada/);
    assert.doesNotMatch(masked, /hunter2/);
  },

  async 'one-time-codes'(load) {
    const { createOneTimeCodes } = await load('@sallyport/one-time-codes');
    const sent = [];
    const codes = createOneTimeCodes({
      store: await memoryStore(load),
      key: randomBytes(32),
      send: (message) => sent.push(message),
    });
    const client = { recipient: 'ada@example.com', clientIp: '192.0.2.1' };
    const { handle } = await codes.send(client);
    // Within the interval of messages a further send is a double click.
    for (let send = 2; send <= 4; send += 1) await codes.send(client);
    assert.equal(sent.length, 1);
    for (const purpose of ['one', 'two']) await codes.send({ ...client, purpose });
    await assert.rejects(codes.send({ ...client, purpose: 'three' }), { code: 'CAPTCHA_REQUIRED' });
    assert.equal(await codes.redeem({ ...client, handle, code: 'x' }), false);
    const uses = [1, 2, 3].map(() => codes.redeem({ ...client, handle, code: sent[0].code }));
    assert.equal((await Promise.all(uses)).filter(Boolean).length, 1);
  },

  async 'second-factor'(load) {
    const { createMemoryFactorRecords, createSecondFactors, totpCodeAt } = await load('@sallyport/second-factor');
    const { createPasskeys } = await load('@sallyport/second-factor/passkeys');
    const shared = { store: await memoryStore(load), records: createMemoryFactorRecords() };
    const factors = createSecondFactors({ ...shared, key: { id: 'k1', secret: randomBytes(32) }, issuer: 'Shop' });
    const principal = 'ada';
    const { id, secret } = await factors.beginTotp({ principal, account: 'ada' });
    const code = totpCodeAt(secret, Date.now());
    const uses = [1, 2, 3].map(() => factors.confirmTotp({ principal, id, code }));
    assert.equal((await Promise.all(uses)).filter((factor) => factor !== null).length, 1);
    assert.equal(await factors.verifyTotp({ principal, code }), null);
    const origins = ['https://example.com'];
    const passkeys = createPasskeys({ ...shared, rpId: 'example.com', rpName: 'Shop', origins });
    const { challenge } = await passkeys.beginRegistration({ principal, account: 'ada' });
    assert.match(challenge, /^[A-Za-z0-9_-]{43}$/);
  },

  async 'password-hashing'(load) {
    const { createPasswordHashing } = await load('@sallyport/password-hashing');
    const lines = [];
    const log = { error: (_details, message) => lines.push(message) };
    const passwords = createPasswordHashing({ cost: 6, maxCost: 31, threads: 2, maxTaskMillis: 1000, log });
    const stored = await passwords.hash('correct horse');
    const verified = (hash) => passwords.verify('correct horse', hash);
    assert.deepEqual(await Promise.all([stored, null, 'x'].map(verified)), [true, false, false]);
    // The thread of a task that runs too long is ended in the middle of its computation.
    const began = performance.now();
    assert.equal(await verified(stored.replace('$06$', '$31$')), false);
    assert.ok(performance.now() - began < 20_000);
    assert.equal(await verified(stored), true);
    assert.equal(lines.length, 2);
    await passwords.close();
    await assert.rejects(verified(stored), { code: 'PASSWORD_WORKERS_BUSY' });
    const { createCommonPasswords } = await load('@sallyport/password-hashing/common-passwords');
    const digest = (password) => createHash('sha256').update(password).digest('hex');
    const { isCommon } = createCommonPasswords({ digest });
    assert.equal(await isCommon(digest('iloveyou')), true);
    assert.equal(await isCommon(digest('correct horse')), false);
    assert.equal(await isCommon(digest('Ada1815!'), { username: 'ada' }), false);
    assert.equal(await isCommon(digest('Ada1990!'), { username: 'ada' }), true);
  },

  async 'ttl-store'(load) {
    const { createPostgresStore, createTtlEntriesTable } = await load('@sallyport/ttl-store/postgres');
    const { drizzle } = await load('drizzle-orm/pglite');
    const { PGlite } = await load('@electric-sql/pglite');
    const client = new PGlite();
    const database = drizzle({ client });
    await createTtlEntriesTable(database);
    // PGlite shares its one thread with the test: a slow machine must not look like a store that is away.
    const embedded = createPostgresStore({ database, timeoutMillis: 60_000 });
    for (const store of [await memoryStore(load), embedded]) {
      assert.equal((await store.increment('a', 60_000)).value, 1);
      const claims = await Promise.all([1, 2, 3].map(() => store.setIfAbsent('b', '', 60_000)));
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal(await store.take('b'), '');
    }
    await client.close();
  },

  async 'client-ip'(load) {
    const { app, ways } = await serverOf(load, async (server) => {
      await server.register(await load('@sallyport/client-ip'), { trustedProxies: ['127.0.0.1'] });
      server.get('/', async (request) => ({ ip: request.clientIp }));
    });
    for (const ask of ways) {
      const answer = await ask({ path: '/', headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' } });
      expectAnswer(answer, 200, '"198.51.100.7"');
    }
    await app.close();
  },

  async 'auth-tokens'(load) {
    const { generateSigningKey } = await load('@sallyport/auth-tokens');
    const store = await memoryStore(load);
    const { app, ways } = await serverOf(load, async (server) => {
      const options = { store, issuer: 'https://example.com', signingKey: generateSigningKey() };
      await server.register(await load('@sallyport/auth-tokens'), options);
      const login = { config: { access: 'public' } };
      server.post('/login', login, () => server.authTokens.issue({ subject: 'u-1', audience: 'admin' }));
      server.get('/me', { config: { access: 'admin' } }, async (request) => request.principal);
    });
    for (const ask of ways) {
      expectAnswer(await ask({ path: '/me' }), 401, 'TOKEN_MISSING');
      const { token } = JSON.parse((await ask({ path: '/login', method: 'POST' })).text);
      expectAnswer(await ask({ path: '/me', headers: { authorization: `Bearer ${token}` } }), 200, '"u-1"');
    }
    await app.close();
  },

  async 'login-policy'(load) {
    const { createPasswordRules, ...rest } = await load('@sallyport/login-policy/password-rules');
    assert.ok(Object.keys({ createPasswordRules, ...rest }).length > 0);
    const store = await memoryStore(load);
    const { app, ways } = await serverOf(load, async (server) => {
      const options = { store, policy: { failureCount: 2, lockSeconds: 600 } };
      await server.register(await load('@sallyport/login-policy'), options);
      server.post('/login/:username', async ({ params: { username }, ip }, reply) => {
        const attempt = { username, terminal: 'web', clientIp: ip };
        return (await server.loginPolicy.attempt(attempt, async () => null)) ?? reply.code(401).send({});
      });
    });
    for (const [index, ask] of ways.entries()) {
      const request = { path: `/login/ada${index}`, method: 'POST' };
      for (const _ of [1, 2]) expectAnswer(await ask(request), 401, '');
      expectAnswer(await ask(request), 429, 'LOGIN_LOCKED');
    }
    await app.close();
  },

  async captcha(load) {
    const { createCaptchas } = await load('@sallyport/captcha');
    const { solve } = await load('@sallyport/captcha/client');
    await load('@sallyport/captcha/client/worker');
    const { createImageRenderer } = await load('@sallyport/captcha/image');
    const renderer = createImageRenderer({ threads: 1 });
    assert.match((await renderer('AEG')).image, /^data:image\/png;base64,/);
    await renderer.close();
    const purpose = 'register';
    const proofOfWork = { cost: 4, puzzles: 2, memoryMebibytes: 1 };
    const captchas = createCaptchas({ store: await memoryStore(load), proofOfWork });
    const { app, ways } = await serverOf(load, async (server) => {
      server.get('/captcha', () => captchas.issue({ kind: 'proof-of-work', purpose }));
      server.post('/accounts', async ({ body }, reply) => {
        const answer = { ...body, purpose, kinds: ['proof-of-work'] };
        return reply.code((await captchas.redeem(answer)) ? 201 : 400).send({});
      });
    });
    for (const ask of ways) {
      const captcha = JSON.parse((await ask({ path: '/captcha' })).text);
      const body = JSON.stringify({ key: captcha.key, proof: await solve(captcha) });
      const request = { path: '/accounts', method: 'POST', headers: json, body };
      expectAnswer(await ask(request), 201, '{}');
      expectAnswer(await ask(request), 400, '{}');
    }
    await app.close();
  },

  async 'envelope-crypto'(load) {
    const { createEnvelopeClient } = await load('@sallyport/envelope-crypto/client');
    const { kernel } = await load('@sallyport/envelope-crypto/client/kernel');
    const plain = { path: '/payments', method: 'POST', headers: json, body: '{"amount":"12.50"}' };
    for (const backend of ['kernel', 'portable']) {
      const { app, base, log, ways } = await envelopeServer(load, backend);
      for (const ask of ways) expectAnswer(await ask(plain), 400, 'ENVELOPE_REQUIRED');
      for (const client of [{}, { kernel }].map((choice) => createEnvelopeClient({ baseUrl: base, ...choice }))) {
        const response = await client.fetch('/payments', { method: 'POST', body: plain.body });
        expectAnswer({ status: response.status, text: JSON.stringify(await response.json()) }, 200, '12.50');
      }
      const { adapter } = (await load('@sallyport/envelope-crypto/client/axios')).createEnvelopeAdapter({
        baseUrl: base,
      });
      const { create } = (await load('axios')).default;
      const { status, data } = await create({ baseURL: base, adapter }).post('/payments', JSON.parse(plain.body));
      expectAnswer({ status, text: JSON.stringify(data) }, 200, '12.50');
      const { ecmaScript } = await load('@sallyport/envelope-crypto/client/ecmascript');
      const plainClient = createEnvelopeClient({ baseUrl: base, ...ecmaScript });
      expectAnswer(
        { status, text: await (await plainClient.fetch('/payments', { method: 'POST', body: plain.body })).text() },
        200,
        '12.50',
      );
      // A bundle carries no file of a thread.
      if (backend === 'kernel' && process.env.IS_BUNDLED === undefined)
        await keepBusy(createEnvelopeClient({ baseUrl: base, kernel }), log);
      await app.close();
      const complaints = log.filter((line) => JSON.parse(line).level >= 50);
      assert.deepEqual(complaints, []);
    }
  },

  async 'replay-guard'(load) {
    const { createEnvelopeClient } = await load('@sallyport/envelope-crypto/client');
    const { app, base } = await envelopeServer(load, 'kernel');
    const sent = [];
    const recording = (input, init) => {
      const request = new Request(input, init);
      if (request.method === 'POST') sent.push(request.clone());
      return fetch(request);
    };
    const { fetch: sealed } = createEnvelopeClient({ baseUrl: base, fetch: recording });
    const response = await sealed('/payments', { method: 'POST', body: '{"amount":"12.50"}' });
    expectAnswer({ status: response.status, text: await response.text() }, 200, '12.50');
    const [request] = sent;
    const copy = { method: 'POST', headers: Object.fromEntries(request.headers), payload: await request.text() };
    const replay = await app.inject({ url: '/payments', ...copy });
    expectAnswer({ status: replay.statusCode, text: replay.body }, 400, 'ENVELOPE_EXPIRED_OR_REPLAYED');
    await app.close();
  },

  async idempotency(load) {
    const store = await memoryStore(load);
    let runs = 0;
    const { app, ways } = await serverOf(load, async (server) => {
      await server.register(await load('@sallyport/idempotency'), { store, principalOf: () => 'ada' });
      server.post('/payments', { config: { idempotency: true } }, async () => ({ run: ++runs }));
    });
    for (const ask of ways) {
      const headers = { ...json, 'idempotency-key': crypto.randomUUID() };
      const request = { path: '/payments', method: 'POST', headers, body: '{"amount":"12.50"}' };
      expectAnswer(await ask(request), 200, '"run":');
      expectAnswer(await ask(request), 409, 'IDEMPOTENCY_SUBMITTED');
    }
    assert.equal(runs, 2);
    await app.close();
  },

  async 'system-parameters'(load) {
    const { createMemorySource, publicParametersRoute } = await load('@sallyport/system-parameters');
    const description = 'Items on a page';
    const items = { key: 'shop.items', type: 'INTEGER', default: 20, minimum: 1, maximum: 100, isPublic: true };
    const tables = [{ definitions: { items: { ...items, description } } }];
    const { app, ways } = await serverOf(load, async (server) => {
      await server.register(await load('@sallyport/system-parameters'), { tables, source: createMemorySource() });
      await server.register(publicParametersRoute);
    });
    for (const ask of ways) expectAnswer(await ask({ path: '/public/system-parameters' }), 200, '"shop.items":20');
    await app.close();
  },

  async 'audit-log'(load) {
    const { createFileSink } = await load('@sallyport/audit-log/file');
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-audit-'));
    const sink = await createFileSink({ path: join(folder, 'audit.ndjson') });
    const { app, ways } = await serverOf(load, async (server) => {
      await server.register(await load('@sallyport/audit-log'), { sink });
      server.post('/payments', { config: { audit: 'payment' } }, async (request) => {
        request.audit.set({ actor: 'admin:42', target: 'payment-1' });
        return { id: 'payment-1' };
      });
    });
    for (const ask of ways) {
      expectAnswer(await ask({ path: '/payments', method: 'POST', headers: json, body: '{}' }), 200, 'payment-1');
    }
    await app.close();
    const written = readFileSync(join(folder, 'audit.ndjson'), 'utf8');
    assert.equal(written.match(/"outcome":"success"/g)?.length, 2, written);
    rmSync(folder, { recursive: true });
  },

  async 'upload-policy'(load) {
    const { createFileDestination } = await load('@sallyport/upload-policy');
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-uploads-'));
    const { app, ways } = await serverOf(load, async (server) => {
      await server.register(await load('@sallyport/upload-policy'), { policy: { allowedExtensions: 'txt,pdf' } });
      const destination = () => createFileDestination({ folder, keep: async (file) => ({ size: file.size }) });
      server.post('/files', async (request) => server.uploadPolicy.receive(request, destination()));
    });
    const upload = (name, text) => ({
      path: '/files',
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: [
        '--b',
        `Content-Disposition: form-data; name="file"; filename="${name}"`,
        'Content-Type: text/plain',
        '',
        text,
        '--b--',
        '',
      ].join('\r\n'),
    });
    for (const ask of ways) {
      expectAnswer(await ask(upload('note.txt', 'some text')), 200, 'text/plain');
      expectAnswer(await ask(upload('note.exe', 'some text')), 415, 'UPLOAD_TYPE_REFUSED');
    }
    await app.close();
    rmSync(folder, { recursive: true });
  },
};
