import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { maskSensitive } from '@sallyport/masking';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createFileSink } from '../src/file.js';
import { auditLog, createMemorySink } from '../src/index.js';

/** A different secret for each place, so that a leak names its source. Word-like and random secrets. */
let planted: { readonly place: string; readonly secret: string }[] = [];
function plant(place: string, shape: 'word' | 'hex' | 'token' | 'jwt' = 'word'): string {
  const digest = createHash('sha256').update(`canary ${place}`).digest();
  const secret = {
    word: `canary${digest.toString('hex').slice(0, 12)}`,
    hex: digest.toString('hex'),
    token: digest.toString('base64url'),
    jwt: `eyJhbGciOiJFZERTQSJ9.${digest.toString('base64url')}.${digest.toString('base64url')}`,
  }[shape];
  planted.push({ place, secret });
  return secret;
}

it('AUD-3 AU-07 no planted secret appears in any record, file or log line', async () => {
  planted = [];
  const folder = await mkdtemp(join(tmpdir(), 'audit-canary-'));
  const path = join(folder, 'audit.ndjson');
  const file = await createFileSink({ path });
  const memory = createMemorySink();
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  // The log masks with the same list. It writes neither headers nor messages of errors.
  const app = Fastify({
    logger: {
      stream,
      level: 'trace',
      formatters: { log: (entry) => maskSensitive(entry) as Record<string, unknown> },
      serializers: {
        err: (error) => ({ type: error.name, message: '', stack: '' }),
        req: ({ method }) => ({ method }),
      },
    },
  });
  app.setErrorHandler((error: Error, request, reply) => {
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send({ code: 'INTERNAL_ERROR' });
  });
  await app.register(auditLog, {
    sink: {
      async append(records) {
        await Promise.all([file.append(records), memory.append(records)]);
      },
      close: () => file.close?.() ?? Promise.resolve(),
    },
  });
  app.post('/things/:id/:token', { config: { audit: 'thing' } }, async (request) => {
    request.log.info({ body: request.body, query: request.query }, 'got');
    request.audit?.set({
      target: `Bearer ${plant('target', 'token')}`,
      reason: plant('reason', 'hex'),
      detail: { nested: [[{ deep: { sessionToken: plant('detail') } }]], error: new Error(plant('error in detail')) },
    });
    await request.audit?.record({ action: 'thing.note', detail: [{ apiKey: plant('own record') }] });
    throw Object.assign(new Error(`Failed query: insert … ${plant('exception text')}`), {
      code: 'THING_BROKEN',
      parameters: [plant('exception property')],
      cause: new Error(plant('cause')),
    });
  });

  await app.inject({
    method: 'POST',
    url: `/things/1/${plant('path', 'word')}`,
    query: {
      access_token: plant('query'),
      __enc: plant('query envelope'),
      'q[password]': plant('bracketed query'),
    },
    headers: {
      authorization: `Bearer ${plant('authorization', 'jwt')}`,
      cookie: `session=${plant('cookie')}`,
      'user-agent': `agent ${plant('user agent', 'jwt')}`,
      'x-api-key': plant('header'),
    },
    payload: {
      password: plant('password'),
      PassWord: plant('other case'),
      'new password': plant('separator'),
      smsCode: plant('sms code'),
      code: plant('code'),
      key: plant('key'),
      username: plant('password typed as name', 'hex'),
      nested: [{ list: [[{ refresh_token: plant('nested arrays') }]] }],
      tokens: [plant('list of tokens')],
      credentials: { any: plant('below a secret name') },
      note: `my token is Bearer ${plant('free text', 'token')}`,
      json: JSON.stringify({ password: plant('text in text') }),
      jwt: plant('jwt', 'jwt'),
      pem: `-----BEGIN PRIVATE KEY-----\n${plant('pem', 'token')}\n-----END PRIVATE KEY-----`,
      [plant('name of a member', 'hex')]: 1,
    },
  });
  await app.close();

  const places = { records: JSON.stringify(memory.records()), file: await readFile(path, 'utf8'), log };
  await rm(folder, { recursive: true });
  expect(memory.records()).toHaveLength(2);
  expect(planted.length).toBeGreaterThan(25);
  for (const [where, text] of Object.entries(places)) {
    expect(text).toContain('[masked]');
    const leaks = planted.filter(({ secret }) => text.includes(secret) || text.includes(secret.slice(0, 24)));
    expect(leaks.map(({ place }) => `${place} in ${where}`)).toEqual([]);
  }
});
