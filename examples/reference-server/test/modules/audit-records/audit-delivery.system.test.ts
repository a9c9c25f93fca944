import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { auditChainHeads, auditDeliveries, auditRecords } from '@sallyport/audit-log/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

interface Line {
  readonly sequence: number;
  readonly action: string;
  readonly security: boolean;
}

describe('the delivery of the audit log', () => {
  let bench: TestBench;
  let server: Server;
  let url: string;
  let status: number;
  let lines: Line[];
  let requests: IncomingMessage[];

  let apps: App[];

  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    for (const table of [auditRecords, auditChainHeads, auditDeliveries]) await bench.database.orm.delete(table);
    apps = [];
    [status, lines, requests] = [200, [], []];
    server = createServer(async (request, response) => {
      requests.push(request);
      const body = await text(request);
      if (status === 200)
        lines.push(
          ...body
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        );
      response.writeHead(status).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  });
  afterEach(async () => {
    await Promise.all(apps.map((app) => app.close()));
    server.closeAllConnections();
    server.close();
  });

  async function start(more: Readonly<Record<string, string>> = {}): Promise<App> {
    const app = await bench.app({
      SERVICE_AUDIT_NDJSON_URL: url,
      SERVICE_AUDIT_NDJSON_HEADERS: '{"authorization":"Bearer of-the-receiver"}',
      ...more,
    });
    apps.push(app);
    return app;
  }
  const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });
  async function componentOf(app: App, headers: { authorization: string }) {
    const response = await app.inject({ url: '/actuator/health', headers });
    return response.json().components['audit-ndjson'];
  }

  it('AUD-13 sends every record in sequence, locks as security events, and goes on after a restart', async () => {
    const app = await start();
    for (let i = 0; i < 6; i += 1) await signIn(app, { ...credentials, username: 'nobody', password: 'wrong' });
    await until(() => expect(lines.some(({ action }) => action === 'auth.lock')).toBe(true));
    await app.close();
    const before = lines.length;
    await signIn(await start());
    await until(() => expect(lines.length).toBeGreaterThan(before));
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
    expect(new Set(lines.map(({ action, security }) => `${action} ${security}`))).toEqual(
      new Set(['administrator.create false', 'auth.login false', 'auth.lock true']),
    );
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer of-the-receiver',
      'content-type': 'application/x-ndjson',
    });
  });

  it('AUD-13 OPS-1 OPS-8 health and metrics show a receiver that refuses, and the service stays up', async () => {
    status = 503;
    const app = await start();
    const headers = await bearer(app);
    await until(async () => expect(await componentOf(app, headers)).toMatchObject({ status: 'DOWN' }));
    const response = await app.inject({ url: '/actuator/health', headers });
    expect([response.statusCode, response.json().status]).toEqual([200, 'UP']);
    const down = await componentOf(app, headers);
    expect(down.details).toMatchObject({ status: 'failing', sequence: 0, missing: 0 });
    expect(down.details.lagRecords).toBeGreaterThan(0);
    const metrics = await app.inject({ url: '/actuator/metrics', headers });
    expect(metrics.body).toMatch(/^sallyport_audit_delivery_lag_records\{destination="ndjson"\} [1-9]\d*$/m);
    expect(metrics.body).toMatch(/^sallyport_audit_delivery_lag_seconds\{destination="ndjson"\} \d/m);
    expect(metrics.body).toMatch(/^sallyport_component_up\{component="audit-ndjson"\} 0$/m);
    expect(lines).toEqual([]);
    status = 200;
    await until(async () => expect(await componentOf(app, headers)).toMatchObject({ status: 'UP' }));
    expect(lines[0]).toMatchObject({ sequence: 1, action: 'auth.login' });
  });

  it('AUD-13 OPS-4 safe mode sends nothing, and the next start sends what waits', async () => {
    const safe = await start({ SERVICE_SAFE_MODE: 'true' });
    await bearer(safe);
    expect(safe.auditDeliveries.map(({ status }) => status)).toEqual(['idle']);
    await safe.close();
    expect(requests).toEqual([]);
    expect(await bench.database.orm.select().from(auditDeliveries)).toEqual([]);
    await start();
    await until(() => expect(lines).toHaveLength(1));
  });

  it('AUD-13 without a receiver there is no delivery, no component and no metric', async () => {
    const app = await bench.app();
    apps.push(app);
    const headers = await bearer(app);
    expect(app.auditDeliveries).toEqual([]);
    expect(await componentOf(app, headers)).toBeUndefined();
    expect((await app.inject({ url: '/actuator/metrics', headers })).body).not.toContain('audit_delivery');
  });

  it('AUD-13 OPS-10 a file that is missing stops the start, with its variable', async () => {
    const SERVICE_AUDIT_DELIVERY_CA_FILE = '/nowhere/ca.pem';
    await expect(start({ SERVICE_AUDIT_DELIVERY_CA_FILE })).rejects.toThrow(
      'SERVICE_AUDIT_DELIVERY_CA_FILE can not be read: ENOENT',
    );
  });
});
