import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createMemorySink } from '@sallyport/audit-log';
import { authTokens } from '@sallyport/auth-tokens';
import { clientIp } from '@sallyport/client-ip';
import { envelopeCrypto } from '@sallyport/envelope-crypto';
import { replayGuard } from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { floodGate } from '../../src/protection/flood-gate.js';
import { rateLimits } from '../../src/protection/rate-limits.js';
import { openSessionClock, requestProtectionOptions } from '../../src/protection/request-protection-options.js';
import { safeMode } from '../../src/protection/safe-mode.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../support/test-app.js';
import { recordStages, type StageRecord } from './recorded-stages.js';

const encryption = {
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
};

/** ORD-1 and ORD-3, by function names: everything that runs before the limits. */
const ARRIVAL = [
  'setResponseHeaders',
  'resolveClientIp',
  'floodGate',
  'limitHeaders',
  'checkHost',
  'refuseWithoutStart',
  'beginAudit',
];
const IDENTITY = ['authenticate', 'authorize', 'requireDuties'];
const ENVELOPE = ['openBodyEnvelope', 'guardReplay', 'deliverPlaintext'];
/** The hook of the limit, and the first call of its store, which must not come earlier. */
const LIMIT = ['rateLimit', 'rateLimitStore'];
const ANSWER = ['commitAudit', 'gateAnswer', 'sealResponse', 'completeIdempotent'];
const WHOLE = [
  ...ARRIVAL,
  ...IDENTITY,
  'openQueryEnvelope',
  ...LIMIT,
  'limitUnknownPaths',
  'enforceEncryptionPolicy',
  'refuseContentEncoding',
  ...ENVELOPE,
  'refuseUnrecordable',
  'confirmSession',
  'requireStepUp',
  'giveOpeningPermitBack',
  'refuseUndelivered',
  'beginIdempotent',
  // A change outside of the database, and an upgrade, are recorded before they are made.
  'beginBeforeHandler',
  'handler',
  ...ANSWER,
];

/** A sign-in takes empty members as absent, once its body is decrypted and before its schema is checked. */
const WHOLE_SIGN_IN = WHOLE.flatMap((stage) => (stage === 'deliverPlaintext' ? [stage, 'ignoreEmpty'] : [stage]));

it('ORD-1 DOC-1 the page of the processing order has the stages in the order that is recorded here', () => {
  const page = readFileSync(new URL('../../../../docs/processing-order.md', import.meta.url), 'utf8');
  const functions = [...page.matchAll(/^\| \d+ .*\| `(\w+)` +\|[^|]*\|[^|]*\|$/gm)].map(([, name]) => name);
  expect(functions).toHaveLength(15);
  expect(WHOLE.filter((name) => functions.includes(name))).toEqual(functions);
});

interface RecordedApp {
  readonly app: App;
  readonly stages: StageRecord;
}

describe('processing order', () => {
  let bench: TestBench;
  let common: RecordedApp;
  const apps: App[] = [];
  beforeAll(async () => {
    bench = await openTestBench();
    common = await recordedApp();
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await bench.close();
  });

  async function recordedApp(environment: Record<string, string> = {}): Promise<RecordedApp> {
    const config = bench.config({ ...encryption, ...environment });
    const app = createApp(config);
    apps.push(app);
    const stages = recordStages(app);
    const resources = bench.resources(config);
    const rateLimits = stages.recorded(createMemoryStore(), 'rateLimitStore');
    await bench.compose(app, config, { ...resources, stores: { ...resources.stores, rateLimits } });
    await app.ready();
    return { app, stages };
  }

  it('ORD-1 ORD-3 a plain request passes the stages in the mandated order, with limits checked in their own stage', async () => {
    const { app, stages } = common;
    stages.take();
    const headers = await bearer(app);
    expect(stages.take()).toEqual(WHOLE_SIGN_IN);
    expect((await app.inject({ url: '/admin/profile', headers })).statusCode).toBe(200);
    expect(stages.take()).toEqual(WHOLE);
  });

  it('ORD-1 a request with an encrypted body passes them in the same order', async () => {
    const { app, stages } = common;
    const headers = await bearer(app);
    stages.take();
    const request = sealed(app, { method: 'PUT', url: '/admin/profile', payload: { displayName: 'A' }, headers });
    const response = await app.inject(request.options);
    expect(request.open(response)).toMatchObject({ data: { displayName: 'A' } });
    expect(stages.take()).toEqual(WHOLE);
  });

  it('ORD-1 a request with an encrypted query passes them in the same order', async () => {
    const { app, stages } = common;
    const headers = await bearer(app);
    stages.take();
    const request = sealed(app, { url: '/admin/profile', headers });
    expect(request.open(await app.inject(request.options))).toMatchObject({ data: { username: 'admin' } });
    expect(stages.take()).toEqual(WHOLE);
  });

  it('ORD-1 EC-35 the schema check comes after decryption: a wrong body in an envelope is 400, sealed, and no handler runs', async () => {
    const { app, stages } = common;
    const headers = await bearer(app);
    stages.take();
    const request = sealed(app, { method: 'PUT', url: '/admin/profile', payload: { displayName: 7 }, headers });
    const response = await app.inject(request.options);
    expect([response.statusCode, request.open(response)]).toEqual([
      400,
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        errors: [expect.objectContaining({ pointer: '/displayName' })],
      }),
    ]);
    expect(stages.take()).toEqual([...WHOLE.slice(0, WHOLE.indexOf('refuseUnrecordable')), ...ANSWER]);
  });

  it('ORD-1 IDM-1 IDM-4 an idempotent write runs between the schema check and the handler; its retry, in a new envelope, ends there', async () => {
    const { app, stages } = common;
    const headers = { ...(await bearer(app)), 'idempotency-key': randomUUID() };
    const payment = { method: 'POST', url: '/admin/payments', payload: { payee: 'A', amount: '1' }, headers } as const;
    const outcomes = [];
    for (const each of [payment, payment, { ...payment, payload: { payee: 'A', amount: '0' } }]) {
      stages.take();
      const request = sealed(app, each);
      const response = await app.inject(request.options);
      outcomes.push([response.statusCode, (request.open(response) as { code?: string }).code, stages.take()]);
    }
    expect(outcomes).toEqual([
      [201, undefined, WHOLE],
      [409, 'IDEMPOTENCY_SUBMITTED', WHOLE.filter((name) => name !== 'beginBeforeHandler' && name !== 'handler')],
      [400, 'VALIDATION_FAILED', [...WHOLE.slice(0, WHOLE.indexOf('refuseUnrecordable')), ...ANSWER]],
    ]);
  });

  it('ORD-1 a request without a token ends at authentication, before any envelope is read', async () => {
    const { app, stages } = common;
    stages.take();
    const { options } = sealed(app, { method: 'PUT', url: '/admin/profile', payload: { displayName: 'A' } });
    expect((await app.inject(options)).json()).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    expect(stages.take()).toEqual([...ARRIVAL, 'authenticate', ...ANSWER]);
  });

  it('ORD-1 ORD-3 a request with an ended session ends at authentication, and no rate limit counts it', async () => {
    const { app, stages } = common;
    const headers = await bearer(app);
    await app.inject({ method: 'POST', url: '/auth/logout', headers });
    stages.take();
    expect((await app.inject({ url: '/admin/profile', headers })).json()).toMatchObject({ code: 'SESSION_REVOKED' });
    expect(stages.take()).toEqual([...ARRIVAL, 'authenticate', ...ANSWER]);
  });

  it('ORD-2 SV-01 an over-limit request ends at the rate limit: its body is neither read, nor parsed, nor decrypted', async () => {
    const { app, stages } = await recordedApp({ SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1' });
    await signIn(app);
    stages.take();
    let isRead = false;
    const body = new Readable({
      read() {
        isRead = true;
        this.push(null);
      },
    });
    const response = await app.inject({
      method: 'POST',
      url: '/admin/auth/login',
      headers: { 'api-encryption': 'v1', 'content-type': 'application/json' },
      payload: body,
    });
    expect(response.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(isRead).toBe(false);
    expect(stages.take()).toEqual([...ARRIVAL, ...IDENTITY, 'openQueryEnvelope', ...LIMIT, ...ANSWER]);
  });

  it('SV-01 an invalid envelope over the limit is 429, not 400, in the body and in the query', async () => {
    const { app } = await recordedApp({
      SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1',
      SERVICE_RATE_LIMIT_MAX_REQUESTS: '1',
    });
    const envelope = { 'api-encryption': 'v1' };
    const codes = [];
    for (let i = 0; i < 2; i += 1) {
      const inBody = await app.inject({
        method: 'POST',
        url: '/admin/auth/login',
        headers: envelope,
        payload: { ct: 'x' },
      });
      const inQuery = await app.inject({ url: '/public/system-parameters?__enc=garbage', headers: envelope });
      codes.push([inBody.json().code, inQuery.json().code]);
    }
    expect(codes).toEqual([
      ['ENVELOPE_MALFORMED', 'ENVELOPE_MALFORMED'],
      ['RATE_LIMITED', 'RATE_LIMITED'],
    ]);
  });

  it('ORD-3 a flood ends at the gate: no token is checked and no envelope opened, on any path', async () => {
    const { app, stages } = await recordedApp({ SERVICE_FLOOD_GATE_MAX_REQUESTS: '3' });
    const headers = await bearer(app);
    const query = sealed(app, { url: '/admin/profile', headers });
    await app.inject(query.options);
    await app.inject('/nothing/here');
    stages.take();
    for (const request of [query.options, { url: '/actuator/health' }, { url: '/nothing/here' }]) {
      const response = await app.inject(request);
      expect(response.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(response.json().retryAfterSeconds).toBe(Number(response.headers['retry-after']));
      expect(stages.take()).toEqual([...ARRIVAL.slice(0, ARRIVAL.indexOf('floodGate') + 1), ...ANSWER]);
    }
  });

  it('ORD-5 an unknown path passes the same stages, and is 401 without a token, ENVELOPE_REQUIRED in the clear, then 404', async () => {
    const { app, stages } = await recordedApp({ SERVICE_API_ENCRYPTION_MODE: 'REQUIRED' });
    // In this mode the development client seals its sign-in too.
    const login = sealed(app, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    const { data } = login.open(await app.inject(login.options)) as { data: { token: string } };
    const headers = { authorization: `Bearer ${data.token}` };
    stages.take();

    expect((await app.inject('/nothing/here')).json()).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    expect((await app.inject({ url: '/nothing/here', headers })).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    stages.take();
    const request = sealed(app, { method: 'POST', url: '/nothing/here', payload: { a: 1 }, headers });
    const response = await app.inject(request.options);
    expect([response.statusCode, request.open(response)]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND' }),
    ]);
    expect(stages.take()).toEqual([
      ...ARRIVAL,
      ...IDENTITY,
      'openQueryEnvelope',
      'limitUnknownPaths',
      'rateLimitStore',
      'enforceEncryptionPolicy',
      'refuseContentEncoding',
      'openBodyEnvelope',
      'guardReplay',
      'refuseUnrecordable',
      'confirmSession',
      'requireStepUp',
      'giveOpeningPermitBack',
      'refuseUndelivered',
      'beginIdempotent',
      ...ANSWER,
    ]);
    expect((await app.inject(request.options)).json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
  });

  it('ORD-5 requests to unknown paths count against the limit, before their body is read', async () => {
    const { app } = await recordedApp({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '2' });
    const headers = await bearer(app);
    const codes = [];
    for (let i = 0; i < 3; i += 1) codes.push((await app.inject({ url: `/nothing/${i}`, headers })).json().code);
    expect(codes).toEqual(['NOT_FOUND', 'NOT_FOUND', 'RATE_LIMITED']);
  });

  describe('ORD-4 the start is refused if plugins are registered in the wrong order:', () => {
    type Step = (app: FastifyInstance) => unknown;

    async function start(...steps: Step[]): Promise<void> {
      const app = fastify();
      try {
        for (const step of steps) await step(app);
        await app.ready();
      } finally {
        await app.close();
      }
    }

    async function steps(): Promise<Record<'tokens' | 'envelopes' | 'guard' | 'ips' | 'gate' | 'limits', Step>> {
      const config = bench.config(encryption);
      const options = await requestProtectionOptions({
        config,
        stores: bench.resources(config).stores,
        clock: openSessionClock(config, bench.resources(config).stores),
        auditSink: createMemorySink(),
        changes: bench.changes,
        sessionEnds: { write: async () => {} },
        permissions: [],
        ticketPurposes: {},
        grantsOf: async () => [],
        mayHaveDuty: () => false,
        permissionChanges: null,
        readLifetimes: async () => ({
          adminIdleSeconds: 1800,
          adminAbsoluteSeconds: 43_200,
          appIdleSeconds: 60,
          appAbsoluteSeconds: 60,
        }),
      });
      return {
        tokens: (app) => app.register(authTokens, options.authTokens),
        envelopes: (app) => app.register(envelopeCrypto, options.envelopeCrypto),
        guard: (app) => app.register(replayGuard, options.replayGuard),
        ips: (app) => app.register(clientIp, options.clientIp),
        gate: (app) => app.register(floodGate, options.floodGate),
        limits: (app) => app.register(rateLimits, options.rateLimits),
      };
    }

    it('ORD-4 the mandated order starts', async () => {
      const { tokens, envelopes, guard } = await steps();
      await expect(start(tokens, envelopes, guard)).resolves.toBeUndefined();
    });

    it('ORD-4 decryption before authentication', async () => {
      const { tokens, envelopes, guard } = await steps();
      await expect(start(envelopes, guard, tokens)).rejects.toThrow('register @sallyport/auth-tokens before');
    });

    it('ORD-4 the replay guard before decryption', async () => {
      const { tokens, envelopes, guard } = await steps();
      await expect(start(tokens, guard, envelopes)).rejects.toThrow('register @sallyport/envelope-crypto before it');
    });

    it('ORD-4 decryption without a replay guard', async () => {
      const { tokens, envelopes } = await steps();
      await expect(start(tokens, envelopes)).rejects.toThrow('@sallyport/replay-guard');
    });

    it('ORD-4 a route before authentication', async () => {
      const { tokens, envelopes, guard } = await steps();
      const route: Step = (app) => app.get('/early', async () => 'x');
      await expect(start(route, tokens, envelopes, guard)).rejects.toThrow(/early/);
    });

    it('ORD-4 flood gate or rate limits too early or too late', async () => {
      const { tokens, envelopes, ips, gate, limits } = await steps();
      await expect(start(gate)).rejects.toThrow('clientIp');
      await expect(start(limits)).rejects.toThrow('clientIp');
      await expect(start(ips, tokens, gate)).rejects.toThrow('before @sallyport/auth-tokens');
      await expect(start(ips, gate, tokens, envelopes, limits)).rejects.toThrow('before @sallyport/envelope-crypto');
    });

    it('ORD-4 OPS-4 safe mode before the rate limits or after decryption', async () => {
      const { tokens, envelopes, ips, gate, limits } = await steps();
      const safe: Step = (app) => app.register(safeMode);
      await expect(start(ips, gate, tokens, safe, limits)).rejects.toThrow('rate-limits');
      await expect(start(ips, gate, tokens, limits, envelopes, safe)).rejects.toThrow('@sallyport/envelope-crypto');
    });
  });
});
