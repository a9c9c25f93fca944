import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { createRequestCounts, LATENCY_BUCKETS } from '../../../src/modules/metrics/request-metrics.js';
import { createServiceMetrics } from '../../../src/modules/metrics/service-metrics.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { sealed } from '../../support/sealed-request.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the Prometheus text format strictly: an invalid line throws. */
function parse(text: string): Sample[] {
  const samples: Sample[] = [];
  const typed = new Set<string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, typedName] = /^# TYPE ([a-zA-Z_:][\w:]*) (?:counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typedName !== undefined) {
      expect(typed.has(typedName), `${typedName} is there twice`).toBe(false);
      typed.add(typedName);
      continue;
    }
    const [, name, labelText = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of the text format: ${line}`);
    const labels = [...labelText.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g)];
    expect(labels.map(([whole]) => whole).join('')).toBe(labelText);
    expect(typed.has(name) || typed.has(name.replace(/_(?:bucket|sum|count)$/, '')), `${name} has a type`).toBe(true);
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
    expect(Number.isNaN(number), line).toBe(false);
    samples.push({ name, labels: Object.fromEntries(labels.map(([, key, text]) => [key, text])), value: number });
  }
  const series = samples.map(({ name, labels }) => `${name} ${JSON.stringify(Object.entries(labels).sort())}`);
  expect(new Set(series).size).toBe(series.length);
  return samples;
}

describe('GET /actuator/metrics', () => {
  let bench: TestBench;
  let app: App;
  let headers: { authorization: string };
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      SERVICE_METRICS_PORT: '0',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '1',
    });
    headers = await bearer(app);
  });
  afterAll(() => bench.close());

  async function look(): Promise<(name: string, labels?: Record<string, string>) => number> {
    const response = await app.inject({ url: '/actuator/metrics', headers });
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = parse(response.body);
    return (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name)
        .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
        .reduce((sum, { value }) => sum + value, 0);
  }

  it('OPS-8 only holders of the permission can read metrics, and no envelope is needed', async () => {
    const [holder, other] = await Promise.all([
      grantedAdministrator(bench.database, ['api:admin:metrics:read']),
      grantedAdministrator(bench.database, ['api:admin:health:read']),
    ]);
    const statusFor = async (username: string) => {
      const { data } = (await signIn(app, { ...credentials, username })).json();
      const authorization = `Bearer ${data.token}`;
      return (await app.inject({ url: '/actuator/metrics', headers: { authorization } })).statusCode;
    };
    expect(await statusFor(holder)).toBe(200);
    expect(await statusFor(other)).toBe(403);
    expect((await app.inject('/actuator/metrics')).statusCode).toBe(401);
  });

  it('OPS-8 counts requests by route and status, and refusals by code; no label contains client data', async () => {
    const before = await look();
    const marker = 'client-text-1f2e3d';
    await app.inject({ url: '/admin/profile', headers });
    await app.inject({ url: `/admin/payments/${marker}`, headers });
    await app.inject({ url: `/${marker}?${marker}=1`, headers: { ...headers, 'user-agent': marker } });
    await app.inject({ url: '/%' });
    await app.inject({ method: 'PROPFIND' as 'GET', url: '/admin/profile', headers });
    for (let i = 0; i < 2; i += 1)
      await app.inject({ method: 'POST', url: '/admin/auth/register', payload: { a: marker } });
    await signIn(app, { ...credentials, username: marker, password: marker });
    const after = await look();
    const grown = (labels: Record<string, string>, name = 'sallyport_http_requests_total') =>
      after(name, labels) - before(name, labels);
    expect(grown({ method: 'GET', route: '/admin/profile', status: '200' })).toBe(1);
    expect(grown({ method: 'GET', route: '/admin/payments/:id', status: '404' })).toBe(1);
    expect(grown({ route: '(none)', status: '404' })).toBe(2);
    expect(grown({ method: 'OTHER', route: '(none)', status: '404' })).toBe(1);
    expect(grown({ route: '(none)', status: '400' })).toBe(1);
    expect(grown({ route: '/admin/auth/register', status: '429' })).toBe(1);
    expect(grown({ route: '/admin/payments/:id' }, 'sallyport_http_request_duration_seconds_count')).toBe(1);
    const refused = (code: string) => grown({ code }, 'sallyport_refusals_total');
    expect([refused('NOT_FOUND'), refused('URL_MALFORMED'), refused('RATE_LIMITED'), refused('LOGIN_FAILED')]).toEqual([
      3, 1, 1, 1,
    ]);
    expect(await app.metrics.read()).not.toContain(marker);
  });

  it('OPS-8 ENV-7 counts envelopes, replays, idempotency keys and locks by outcome', async () => {
    const before = await look();
    const good = sealed(app, { url: '/admin/profile', headers });
    await app.inject(good.options);
    await app.inject(good.options);
    await app.inject(sealed(app, { url: '/admin/profile', headers, aheadMillis: 3_600_000 }).options);
    await app.inject({ url: '/admin/profile?__enc=AAAA', headers: { ...headers, 'api-encryption': 'v1' } });
    const key = { ...headers, 'idempotency-key': randomUUID() };
    const pay = (amount: string, given: Record<string, string> = key) =>
      app.inject({ method: 'POST', url: '/admin/payments', headers: given, payload: { payee: 'Harbour', amount } });
    await pay('12.50');
    await pay('12.50');
    await pay('13.50');
    await pay('1', { ...headers, 'idempotency-key': 'x' });
    const locked = await grantedAdministrator(bench.database, []);
    for (let i = 0; i < 6; i += 1) await signIn(app, { ...credentials, username: locked, password: 'wrong' });
    const after = await look();
    const grown = (name: string, labels: Record<string, string>) => after(name, labels) - before(name, labels);
    const envelopes = (outcome: string) => grown('sallyport_envelopes_total', { outcome });
    expect(['opened', 'replayed', 'expired', 'ENVELOPE_MALFORMED'].map(envelopes)).toEqual([1, 1, 1, 1]);
    const runs = (outcome: string) => grown('sallyport_idempotent_runs_total', { outcome });
    expect(
      ['completed', 'IDEMPOTENCY_SUBMITTED', 'IDEMPOTENCY_DIGEST_MISMATCH', 'IDEMPOTENCY_KEY_INVALID'].map(runs),
    ).toEqual([1, 1, 1, 1]);
    expect(grown('sallyport_login_locks_total', { terminal: 'web' })).toBe(1);
    expect(grown('sallyport_refusals_total', { code: 'LOGIN_LOCKED' })).toBe(1);
    expect(after('sallyport_plaintext_requests_total', { operation: 'POST /admin/payments' })).toBeGreaterThanOrEqual(
      4,
    );
    expect(after('sallyport_envelope_info', { mode: 'OPTIONAL' })).toBe(1);
  });

  it('OPS-8 shows the audit log, the queue, components and the process, and counts deliveries by outcome', async () => {
    const before = await look();
    await app.inject({ method: 'POST', url: '/app/auth/sendSmsCode', payload: { mobile: '13812345678' } });
    await expect
      .poll(async () => (await look())('sallyport_notification_deliveries_total', { outcome: 'sent' }), {
        timeout: 15_000,
      })
      .toBe(1);
    const after = await look();
    expect(after('sallyport_audit_commit_duration_seconds_count')).toBeGreaterThan(
      before('sallyport_audit_commit_duration_seconds_count'),
    );
    expect(after('sallyport_audit_commit_failures_total')).toBe(0);
    const components = ['database', 'audit', 'notifications', 'storage', 'envelope'];
    const up = async () => {
      const read = await look();
      return components.filter((component) => read('sallyport_component_up', { component }) === 1);
    };
    await expect.poll(up, { timeout: 15_000 }).toEqual(components);
    expect(after('sallyport_notifications', { state: 'failed' })).toBe(0);
    if (process.platform === 'linux') expect(after('process_open_fds')).toBeGreaterThan(3);
  });

  it('OPS-8 has every metric of the process that prom-client has, by the same name, once for two servers', async () => {
    const own = await bench.app();
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const namesOf = (text: string) => [...text.matchAll(/^# TYPE ((?:process|nodejs)_\S+)/gm)].map(([, name]) => name);
    const expected = namesOf(await registry.metrics());
    expect(expected).toContain('nodejs_eventloop_lag_p99_seconds');
    for (const { metrics } of [app, own]) expect(namesOf(await metrics.read()).sort()).toEqual(expected.sort());
  });

  it('OPS-8 SV-09 a component that hangs does not delay the metrics: it is shown as down', async () => {
    const own = await bench.app();
    own.health.register('hanging', { isEssential: false, check: () => new Promise(() => {}) });
    const samples = parse(await own.metrics.read());
    const found = samples.filter(({ name }) => name === 'sallyport_component_up');
    expect(Object.fromEntries(found.map(({ labels, value }) => [labels.component, value]))).toMatchObject({
      hanging: 0,
      database: expect.any(Number),
    });
  });

  it('OPS-8 the separate port serves the same without a token, on loopback, and nothing else', async () => {
    const { origin } = app.metrics;
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${origin}/metrics`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(parse(await response.text()).some(({ name }) => name === 'sallyport_http_requests_total')).toBe(true);
    const statuses = ['/', '/metrics?x=1', '/admin/profile', '/actuator/health'].map(
      async (path) => (await fetch(`${origin}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404]);
    expect((await fetch(`${origin}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
    const unset = await bench.app();
    expect(unset.metrics.origin).toBeNull();
    const port = new URL(origin!).port;
    await expect(bench.app({ SERVICE_METRICS_PORT: port })).rejects.toThrow(/EADDRINUSE/);
  });

  it('OPS-8 a client that disconnects before its answer counts as aborted, not as a success', async () => {
    const own = await bench.app();
    await own.listen({ host: '127.0.0.1', port: 0 });
    const head =
      'POST /admin/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n';
    const client = connect((own.server.address() as AddressInfo).port, '127.0.0.1');
    const arrived = once(own.server, 'request');
    client.write(head);
    await arrived;
    client.destroy();
    await expect
      .poll(
        async () =>
          parse(await own.metrics.read()).filter(
            ({ name, labels }) =>
              name === 'sallyport_http_requests_total' &&
              labels.route === '/admin/auth/login' &&
              labels.status === 'aborted',
          ).length,
        { timeout: 10_000 },
      )
      .toBe(1);
  });
});

describe('what is counted', () => {
  it('OPS-8 the existing routes and methods bound the number of series', () => {
    const counts = createRequestCounts();
    for (let i = 0; i < 5000; i += 1) counts.count(`M${i}`, null, 404, 1);
    counts.count('GET', '/a/:id', 200, 4.9);
    counts.count('GET', '/a/:id', 200, 10_001);
    counts.countAborted('GET', '/a/:id');
    const series = counts.read();
    expect(series.map(({ method, route }) => `${method} ${route}`)).toEqual(['OTHER (none)', 'GET /a/:id']);
    const [, last] = series;
    expect(last?.latencies).toEqual([1, ...new Array(LATENCY_BUCKETS.length - 1).fill(0), 1]);
    expect([...(last?.outcomes ?? [])]).toEqual([
      [200, 2],
      ['aborted', 1],
    ]);
  });

  it('OPS-8 AUD-4 a failed commit counts and is refused as before; concurrent reads share one collection', async () => {
    const metrics = createServiceMetrics();
    let fails = true;
    const sink = metrics.timed({
      append: async (_records: readonly object[]) => {
        if (fails) throw new Error('away');
      },
      get queued() {
        return 7;
      },
    });
    await expect(sink.append([])).rejects.toThrow('away');
    fails = false;
    await sink.append([]);
    expect(sink.queued).toBe(7);
    const [one, other] = [metrics.read(), metrics.read()];
    expect(one).toBe(other);
    const samples = parse(await one);
    const value = (wanted: string) => samples.find(({ name }) => name === wanted)?.value;
    expect(value('sallyport_audit_commit_failures_total')).toBe(1);
    expect(value('sallyport_audit_commit_duration_seconds_count')).toBe(1);
  });
});
