import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { type ComponentState, createHealth, type HealthComponent } from '../../../src/modules/health/health.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const UP: ComponentState = { status: 'UP' };

const component = (check: HealthComponent['check'], isEssential = true): HealthComponent => ({ isEssential, check });

describe('the registry of components', () => {
  it('OPS-1 SV-09 a check that hangs is DOWN after its timeout, does not run twice at once, and is UP when it answers', async () => {
    let time = 0;
    let asked = 0;
    let isHanging = true;
    let answerLate: (state: ComponentState) => void = () => {};
    const health = createHealth({ limitMillis: 20, findingMillis: 500, now: () => time });
    health.register('hanging', {
      isEssential: true,
      check() {
        asked += 1;
        if (!isHanging) return UP;
        return new Promise((resolve) => {
          answerLate = resolve;
        });
      },
    });
    health.register(
      'well',
      component(() => UP),
    );
    const expected = { status: 'DOWN', components: { hanging: { status: 'DOWN' }, well: UP } };
    expect(await health.read()).toEqual(expected);
    time += 500;
    expect(await health.read()).toEqual(expected);
    expect(asked).toBe(1);
    isHanging = false;
    answerLate(UP);
    await new Promise((resolve) => setImmediate(resolve));
    time += 500;
    expect(await health.read()).toEqual({ status: 'UP', components: { hanging: UP, well: UP } });
    expect(asked).toBe(2);
  });

  it('OPS-1 a result is cached briefly, so that frequent requests do not load the stores; setting the clock back does not freeze it', async () => {
    let time = 1_000_000;
    let asked = 0;
    const health = createHealth({ findingMillis: 500, now: () => time });
    health.register('counted', {
      isEssential: true,
      check() {
        asked += 1;
        return UP;
      },
    });
    await Promise.all(Array.from({ length: 200 }, () => health.read()));
    time += 249;
    await health.read();
    expect(asked).toBe(1);
    time += 251;
    await health.read();
    expect(asked).toBe(2);
    time -= 900_000;
    await health.read();
    expect(asked).toBe(3);
  });

  it('OPS-1 PRF-6 a slow check delays no request while the last result is valid, and one check runs at a time', async () => {
    let time = 0;
    const answers: ((state: ComponentState) => void)[] = [];
    const health = createHealth({ findingMillis: 500, now: () => time });
    health.register(
      'busy',
      component(() => new Promise((resolve) => void answers.push(resolve))),
    );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const first = health.read();
    await settle();
    answers[0]?.(UP);
    expect((await first).status).toBe('UP');
    time = 300;
    const meanwhile = await Promise.all([health.read(), health.read(), health.read()]);
    expect(meanwhile.map(({ status }) => status)).toEqual(['UP', 'UP', 'UP']);
    await settle();
    expect(answers).toHaveLength(2);
    answers[1]?.({ status: 'DOWN' });
    await settle();
    expect((await health.read()).status).toBe('DOWN');
    // The result's age counts from the start of the check.
    time = 800;
    const later = health.read();
    await settle();
    answers[2]?.(UP);
    expect((await later).status).toBe('UP');
  });

  it('OPS-1 only an essential component makes the overall status DOWN, and each change is reported once', async () => {
    let time = 0;
    let isAway = true;
    const changes: string[] = [];
    const health = createHealth({ now: () => time, onChange: (name, status) => changes.push(`${name} ${status}`) });
    health.register(
      'files',
      component(() => (isAway ? Promise.reject(new Error('away')) : UP), false),
    );
    const states: string[] = [];
    for (let i = 0; i < 2; i += 1) {
      states.push((await health.read()).status);
      time += 1000;
    }
    isAway = false;
    const { components } = await health.read();
    expect([states, components, changes]).toEqual([['UP', 'UP'], { files: UP }, ['files DOWN', 'files UP']]);
    expect(() =>
      health.register(
        'files',
        component(() => UP),
      ),
    ).toThrow(TypeError);
  });
});

describe('GET /actuator/health', () => {
  let bench: TestBench;
  let app: App;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    app = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
  });
  afterAll(() => bench.close());

  async function tokenOf(instance: App, username: string): Promise<Record<string, string>> {
    const { data } = (await signIn(instance, { ...credentials, username })).json();
    return { authorization: `Bearer ${data.token}` };
  }

  it('OPS-1 everybody sees the status only; holders of the permission see the components', async () => {
    const plain = await bench.app();
    const [holder, other] = await Promise.all([
      grantedAdministrator(bench.database, ['api:admin:health:read']),
      grantedAdministrator(bench.database, ['api:admin:roles:list']),
    ]);
    const shown = async (headers: Record<string, string>) => {
      const response = await app.inject({ url: '/actuator/health', headers });
      return [response.statusCode, response.json()];
    };
    const nobody = [expect.any(Number), { status: expect.stringMatching(/^(?:UP|DOWN)$/) }];
    expect(await shown({})).toEqual(nobody);
    expect(await shown({ authorization: 'Bearer no.such.token' })).toEqual(nobody);
    expect(await shown({ authorization: 'Basic YTpi' })).toEqual(nobody);
    expect(await shown(await tokenOf(plain, other))).toEqual(nobody);
    const token = await tokenOf(plain, holder);
    // On a busy machine a check may time out once.
    await expect
      .poll(() => shown(token), { timeout: 15_000 })
      .toEqual([
        200,
        {
          status: 'UP',
          components: {
            database: { status: 'UP', details: { kind: 'embedded' } },
            clock: { status: 'UP', details: { skewSeconds: 0, allowedSkewSeconds: 240 } },
            'audit-history': { status: 'UP' },
            audit: { status: 'UP', details: { pending: 0, queued: 0, refused: 0, lost: 0, omitted: 0, open: 0 } },
            notifications: { status: 'UP', details: { queued: 0, sending: 0, retrying: 0, failed: 0 } },
            storage: { status: 'UP' },
            nonces: { status: 'UP' },
            envelope: expect.objectContaining({
              status: 'UP',
              details: expect.objectContaining({ mode: 'REQUIRED', backend: app.envelopeCrypto.backend?.name }),
            }),
          },
        },
      ]);
    const [, body] = await shown(token);
    expect(JSON.stringify(body)).not.toContain(bench.folder);
  });

  it('OPS-1 while an essential component is down the server is live but not ready; a token that cannot be checked shows no components', async () => {
    const own = await bench.app();
    let isAway = true;
    own.health.register(
      'away',
      component(() => (isAway ? { status: 'DOWN' } : UP)),
    );
    own.health.register(
      'files-away',
      component(() => ({ status: 'DOWN' }), false),
    );
    const answers = async () => {
      const paths = ['', '/liveness', '/readiness'].map((path) => own.inject(`/actuator/health${path}`));
      return (await Promise.all(paths)).map((response) => [response.statusCode, response.json().status]);
    };
    expect(await answers()).toEqual([
      [503, 'DOWN'],
      [200, 'UP'],
      [503, 'DOWN'],
    ]);
    const { components } = (await own.inject({ url: '/actuator/health', headers: await bearer(own) })).json();
    expect(components).toMatchObject({ away: { status: 'DOWN' }, 'files-away': { status: 'DOWN' } });
    isAway = false;
    await expect.poll(answers, { timeout: 10_000 }).toEqual(Array.from({ length: 3 }, () => [200, 'UP']));
  });

  it('RPL-6 a server that lost nonces says so; one that only takes envelopes is not ready, and is ready again', async () => {
    const losing = (mode: string) =>
      bench.app({
        SERVICE_API_ENCRYPTION_MODE: mode,
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      });
    const [optional, required] = [await losing('OPTIONAL'), await losing('REQUIRED')];
    const headers = await bearer(optional);
    await bench.database.orm.execute(sql`delete from ttl_entries where key = 'replay:mark'`);
    await optional.replayGuard.watchStore();
    await required.replayGuard.watchStore();
    const readiness = async (app: App) => (await app.inject('/actuator/health/readiness')).statusCode;
    expect([await readiness(optional), await readiness(required)]).toEqual([200, 503]);
    const answer = await optional.inject({ url: '/actuator/health', headers });
    expect(answer.json().components.nonces).toEqual({
      status: 'DOWN',
      details: { reason: 'NONCES_LOST', loss: 'absent', remainingSeconds: expect.any(Number) },
    });
    await expect.poll(() => readiness(required), { timeout: 15_000 }).toBe(200);
  });

  it('OPS-1 OPS-7 a stopping server is not ready', async () => {
    const config = bench.config();
    const own = createApp(config);
    await bench.compose(own, config);
    // A request that has begun to arrive is in progress, and the stop waits for it.
    const half = { begun: 'GET /actuator/health/readiness HTTP/1.1\r\nHost:', rest: ' a\r\nConnection: close\r\n\r\n' };
    await own.listen({ host: '127.0.0.1', port: 0 });
    const accepted = once(own.server, 'connection');
    const client = connect((own.server.address() as AddressInfo).port, '127.0.0.1');
    const answered = text(client);
    const [serverSide] = await accepted;
    client.write(half.begun);
    await expect.poll(() => serverSide.bytesRead, { timeout: 10_000 }).toBe(half.begun.length);
    const closing = own.close();
    await expect.poll(() => own.health.isStopping, { timeout: 10_000 }).toBe(true);
    client.write(half.rest);
    expect(await answered).toMatch(/^HTTP\/1\.1 503 [\s\S]*\{"status":"DOWN"\}/);
    await closing;
  });
});
