import { randomUUID } from 'node:crypto';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { type AppActor, newAppUser } from '../../support/app-accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** The routes that serve a session which lacks a step, by its purpose. Every other one refuses it. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  'second-factor': ['POST /auth/second-factor', 'POST /auth/second-factor/options', 'POST /auth/logout'],
  enrolment: [
    'POST /auth/second-factors/totp',
    'POST /auth/second-factors/totp/:id/confirm',
    'POST /auth/second-factors/passkeys/options',
    'POST /auth/second-factors/passkeys',
    'POST /auth/logout',
  ],
};
const REFUSALS: Readonly<Record<string, string>> = {
  'second-factor': 'SECOND_FACTOR_REQUIRED',
  enrolment: 'SECOND_FACTOR_ENROLMENT_REQUIRED',
};

interface Route {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly audiences: readonly string[];
}

describe('sessions that lack a step', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let user: AppActor;
  const routes: Route[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(roomy);
    app = createApp(config);
    app.addHook('onRoute', ({ method, url, config: { access = [] } = {} }: RouteOptions) => {
      const audiences = access === 'public' ? [] : [access].flat();
      for (const each of [method].flat()) routes.push({ name: `${each} ${url}`, method: String(each), url, audiences });
    });
    await bench.compose(app, config);
    // A route that was added without regard to second factors.
    app.post('/test/new', { config: { access: ['admin', 'app'], audit: false } }, async () => ({ data: 'done' }));
    admin = await root(app);
    user = await newAppUser(app);
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  const subjectOf = async (audience: string) => {
    const { headers } = audience === 'admin' ? admin : user;
    return (await app.authTokens.check(headers.authorization.slice('Bearer '.length))).subject;
  };

  async function headersOf(audience: string, more: { purpose?: string; method?: string }) {
    const { purpose, method } = more;
    const proof = method === undefined ? undefined : { method };
    const { token } = await app.authTokens.issue({ audience, subject: await subjectOf(audience), purpose, proof });
    return { authorization: `Bearer ${token}` };
  }

  function send({ method, url }: Pick<Route, 'method' | 'url'>, headers: { authorization: string }) {
    const path = url.replace(/:\w+/g, randomUUID()).replace('*', 'x');
    const payload = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? {} : { payload: {} };
    return app.inject({ method: method as 'POST', url: path, headers, ...payload });
  }

  /** The served routes come last, since one of them ends the session. */
  async function walk(audience: string, headers: { authorization: string }, served: readonly string[], code: string) {
    const own = routes.filter(({ audiences }) => audiences.includes(audience));
    const others = own.filter(({ name }) => !served.includes(name));
    expect(others.length).toBeGreaterThan(audience === 'admin' ? 40 : 4);
    for (const route of others) {
      const { statusCode, body } = await send(route, headers);
      const found = route.method === 'HEAD' ? code : JSON.parse(body).code;
      expect([route.name, statusCode, found]).toEqual([route.name, 403, code]);
    }
    // Of the other audience, and of nobody.
    for (const route of routes.filter(({ audiences }) => audiences.length > 0 && !audiences.includes(audience))) {
      expect([route.name, (await send(route, headers)).statusCode]).toEqual([route.name, 403]);
    }
    const unknown = await send({ method: 'GET', url: '/admin/nothing' }, headers);
    expect(unknown.json()).toMatchObject({ status: 403, code });
    for (const name of served) {
      const route = own.find((each) => each.name === name);
      expect([name, (await send(route!, headers)).body]).toEqual([name, expect.not.stringContaining(code)]);
    }
  }

  const cases = ['admin', 'app'].flatMap((audience) =>
    ['second-factor', 'enrolment'].map((purpose) => [audience, purpose] as const),
  );
  it.each(cases)('MFA-2: every route of %s refuses a session that waits for %s', async (audience, purpose) => {
    await walk(audience, await headersOf(audience, { purpose }), SERVED[purpose]!, REFUSALS[purpose]!);
  });

  it.each(['admin', 'app'])(
    'MFA-2: every route of %s refuses a session of before in mode REQUIRED',
    async (audience) => {
      const [factor, password, old] = await Promise.all(
        [{ method: 'factor' }, { method: 'password' }, {}].map((more) => headersOf(audience, more)),
      );
      const by = await headersOf('admin', { method: 'factor' });
      const keeper: Actor = {
        ...admin,
        call: (method, url, payload) => app.inject({ method, url, headers: by, ...(payload && { payload }) }),
      };
      const path = audience === 'admin' ? '/admin/profile' : '/app/profile';
      expect((await app.inject({ url: path, headers: old! })).statusCode).toBe(200);
      await setParameter(keeper, `${audience}.auth.second-factor.mode`, 'REQUIRED');
      try {
        expect((await app.inject({ url: path, headers: factor! })).statusCode).toBe(200);
        for (const headers of [password!, old!]) {
          await walk(audience, headers, SERVED['second-factor']!, 'SECOND_FACTOR_ENROLMENT_REQUIRED');
        }
      } finally {
        await setParameter(keeper, `${audience}.auth.second-factor.mode`, 'OFF');
      }
    },
  );

  it('MFA-2: gets no ticket, and no stream by a query token', async () => {
    const headers = await headersOf('admin', { purpose: 'second-factor' });
    const ticket = { purpose: 'download', resource: randomUUID() };
    const asked = await app.inject({ method: 'POST', url: '/auth/tickets', headers, payload: ticket });
    expect(asked.json().code).toBe('SECOND_FACTOR_REQUIRED');
    const stream = await app.inject({ url: '/admin/activity/stream', headers });
    expect(stream.json().code).toBe('SECOND_FACTOR_REQUIRED');
  });
});
