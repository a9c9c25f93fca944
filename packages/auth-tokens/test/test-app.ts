import { createMemoryStore, createStoreClock, type StoreClock, type TtlStore } from '@sallyport/ttl-store';
import Fastify, {
  type FastifyInstance,
  type FastifyServerOptions,
  type InjectOptions,
  type LightMyRequestResponse,
} from 'fastify';
import authTokens, { type AuthTokensOptions, generateSigningKey } from '../src/index.js';

/** A clock that tests move. */
export class TestClock {
  millis = Date.UTC(2026, 10, 21, 12);
  readonly now = (): number => this.millis;
  advance(seconds: number): void {
    this.millis += seconds * 1000;
  }
}

/** The clock of a shared store that goes by the test's, on a node whose wall clock may be another. */
export function storeClockOf({ now }: TestClock, wall: () => number = now): StoreClock {
  return createStoreClock({ store: { lifetime: 'shared', time: async () => now() }, now: wall, monotonic: now });
}

export const signingKey = generateSigningKey('EdDSA');
export const issuer = 'https://sallyport.test';

export interface TestApp {
  readonly app: FastifyInstance;
  readonly clock: TestClock;
  readonly store: TtlStore;
  /** Signs in, and resolves to the token. */
  signIn(subject?: string, audience?: string): Promise<string>;
  get(url: string, token?: string): Promise<LightMyRequestResponse>;
  code(url: string, token?: string): Promise<string>;
}

const opened: FastifyInstance[] = [];

export async function closeApps(): Promise<void> {
  await Promise.all(opened.splice(0).map((app) => app.close()));
}

export function openApp(settings: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(settings);
  opened.push(app);
  return app;
}

/** A server with a public, an admin, an app and a shared route, a permission route, and logout. */
export async function createTestApp(
  options: Partial<AuthTokensOptions> = {},
  settings: FastifyServerOptions = {},
  clock = new TestClock(),
): Promise<TestApp> {
  const app = openApp(settings);
  const store = (options.store as TtlStore | undefined) ?? createMemoryStore({ now: clock.now });
  await app.register(authTokens, { store, issuer, signingKey, clock: storeClockOf(clock), ...options });
  addRoutes(app, (options.permissions ?? []).length > 0);
  await app.ready();

  const get = (url: string, token?: string) =>
    app.inject({ url, ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }) });
  return {
    app,
    clock,
    store,
    get,
    signIn: async (subject = 'u-1', audience = 'admin') => (await app.authTokens.issue({ subject, audience })).token,
    code: async (url, token) => codeOf(await get(url, token)),
  };
}

function addRoutes(app: FastifyInstance, hasPermissions: boolean): void {
  app.get('/public', { config: { access: 'public' } }, async (request) => ({ principal: request.principal }));
  app.get('/admin', { config: { access: 'admin' } }, async (request) => ({ principal: request.principal }));
  app.get('/app', { config: { access: 'app' } }, async (request) => ({ principal: request.principal }));
  app.get('/any', { config: { access: ['admin', 'app'] } }, async (request) => ({ principal: request.principal }));
  app.post('/logout', { config: { access: ['admin', 'app'] } }, async (request, reply) => {
    await app.authTokens.revoke(request.principal?.sessionId ?? '');
    return reply.code(204).send();
  });
  if (hasPermissions) {
    app.get(
      '/clear',
      { config: { access: 'admin', permission: 'api:admin:auth:clearLoginLimit' } },
      async () => 'done',
    );
  }
  app.get('/file', { config: { access: 'admin', queryToken: true } }, async (request) => ({ query: request.query }));
}

/** `200`, or the error code of the body. */
function codeOf(response: { statusCode: number; json(): { code?: string } }): string {
  return response.statusCode < 300 ? String(response.statusCode) : `${response.statusCode} ${response.json().code}`;
}

export const bearer = (token: string): InjectOptions['headers'] => ({ authorization: `Bearer ${token}` });
