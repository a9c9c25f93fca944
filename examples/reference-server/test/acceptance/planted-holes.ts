import { randomBytes, randomUUID } from 'node:crypto';
import { LoginLockedError, type LoginSubject } from '@sallyport/login-policy';
import type { StoreMarks } from '@sallyport/ttl-store';
import { UPLOAD_POLICY_DEFAULTS, uploadPolicy } from '@sallyport/upload-policy';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { App } from '../../src/app.js';
import type { Resources } from '../../src/storage/resources.js';
import { roles } from '../../src/storage/schema.js';

/** A plausible fault of a server, planted in a copy of it from outside. */
export interface PlantedHole {
  readonly hole: string;
  /** The check that must find it. */
  readonly check: string;
  /** The expected finding. */
  readonly names: RegExp;
  readonly environment?: Readonly<Record<string, string>>;
  /** Alters the empty app, before the server is composed on it. */
  readonly plant?: (app: App, resources: Resources) => void;
  /** Alters the dependencies of the server. */
  readonly resources?: (resources: Resources) => Resources;
}

const privateKey = randomBytes(32).toString('hex');
const optional = { SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL', SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey };

/** Changes one route, before any plugin of the server sees it. */
function route(method: string, url: string, change: (options: RouteOptions) => void) {
  return (app: App) => {
    app.addHook('onRoute', (options) => {
      if (options.method === method && options.url === url) change(options);
    });
  };
}

/** Replaces the value of a plugin's decorator, in this app and all of its scopes. */
function decorated<Value>(app: App, decorator: string, change: (value: Value) => Value): void {
  const original = app.decorate as (this: unknown, name: string, ...rest: unknown[]) => App;
  app.decorate = function decorate(this: unknown, name: string, value: unknown, ...rest: unknown[]) {
    return original.call(this, name, name === decorator ? change(value as Value) : value, ...rest);
  } as typeof app.decorate;
}

/** Takes every nonce for a new one. */
function everFirst(marks: StoreMarks): StoreMarks {
  return { ...marks, setIfAbsent: async (...call) => ({ ...(await marks.setIfAbsent(...call)), outcome: 'written' }) };
}

function stores(change: (stores: Resources['stores']) => Partial<Resources['stores']>) {
  return (resources: Resources): Resources => ({
    ...resources,
    stores: { ...resources.stores, ...change(resources.stores) },
  });
}

/** Longer than parallel guesses take, in milliseconds. */
const COUNTED_LATE_MILLIS = 30_000;

/**
 * Reads the count, verifies, and counts later, so that all parallel guesses get through (LGN-5).
 */
function countLate(app: App): void {
  decorated<App['loginPolicy']>(app, 'loginPolicy', (policy) => {
    const failed: { readonly subject: LoginSubject; readonly at: number }[] = [];
    return {
      ...policy,
      async attempt(subject, verify) {
        while (failed[0] !== undefined && Date.now() - failed[0].at > COUNTED_LATE_MILLIS) {
          await policy.attempt(failed.shift()!.subject, async () => null).catch(() => null);
        }
        const { username, terminal, clientIp } = subject;
        const { lockedUntil } = await policy.explain({ username, terminal, clientIp });
        if (lockedUntil !== null) throw new LoginLockedError(60);
        const result = await verify();
        if (!result) failed.push({ subject: { username, terminal, clientIp }, at: Date.now() });
        return (result || null) as never;
      },
    };
  });
}

/** Trusts the file name's extension (UPL-3). */
function believeExtensions(app: App): void {
  const register = app.register as (this: unknown, plugin: unknown, options?: { policy?: unknown }) => App;
  app.register = function registerBelieving(this: unknown, plugin: unknown, options?: { policy?: unknown }) {
    const off = async () => ({ ...UPLOAD_POLICY_DEFAULTS, validationEnabled: false });
    return register.call(this, plugin, plugin === uploadPolicy ? { ...options, policy: off } : options);
  } as unknown as typeof app.register;
  decorated<App['uploadPolicy']>(app, 'uploadPolicy', (policy) => ({
    ...policy,
    receive: (request, destination) =>
      policy.receive(request, {
        write: (stream) => destination.write(stream),
        discard: () => destination.discard(),
        async commit(file) {
          const extension = file.fileName.split('.').at(-1) ?? '';
          const isListed = UPLOAD_POLICY_DEFAULTS.allowedExtensions.split(',').includes(extension);
          if (!isListed) throw Object.assign(new Error('refused'), { statusCode: 415, code: 'UPLOAD_TYPE_REFUSED' });
          return destination.commit({ ...file, extension });
        },
      }),
  }));
}

/** Lets any device token past the locks (LGN-12). */
function believeDevices(app: App): void {
  decorated<App['loginPolicy']>(app, 'loginPolicy', (policy) => ({
    ...policy,
    async attempt(subject, verify, options) {
      if (subject.deviceToken === undefined) return policy.attempt(subject, verify, options);
      return ((await verify()) || null) as never;
    },
  }));
}

export const plantedHoles: readonly PlantedHole[] = [
  {
    hole: 'device tokens that nobody looks up',
    check: 'sign-in.guesses',
    names: /while locked, a forged device token is answered 200/,
    plant: believeDevices,
  },
  {
    hole: 'a sign-out that ends nothing',
    check: 'tokens.ends',
    names: /after sign-out the access token still opens the profile: 200/,
    plant: route('POST', '/auth/logout', (options) => {
      options.handler = async (_request, reply) => reply.code(204).send(null);
    }),
  },
  {
    hole: 'a changed role that keeps its old permissions',
    check: 'tokens.roles',
    names: /when the role is emptied, its right stays: 200/,
    plant: route('PUT', '/admin/roles/:id', (options) => {
      const { handler } = options;
      options.handler = async function keep(this: FastifyInstance, request, reply) {
        const { permissions: _dropped, ...rest } = request.body as Record<string, unknown>;
        request.body = rest;
        return handler.call(this, request, reply);
      };
    }),
  },
  {
    hole: 'tickets that are read but not consumed',
    check: 'tokens.tickets',
    names: /of 10 parallel uses of one ticket 10 downloaded/,
    resources: stores(({ sessions }) => ({
      sessions: { ...sessions, take: (key) => (key.includes('ticket') ? sessions.get(key) : sessions.take(key)) },
    })),
  },
  {
    hole: 'X-Forwarded-For trusted from every client',
    check: 'proxies.address',
    names: /with a forged x-forwarded-for the recorded address is 203\.0\.113\.77/,
    environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  {
    hole: 'rate limits by an address that clients choose',
    check: 'proxies.limits',
    names: /another forged address each were counted to 1, and not on/,
    environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  {
    hole: 'an upload policy that checks extensions only',
    check: 'uploads.contents',
    names: /a web page named \.jpg \(a\.jpg, sent as image\/jpeg\) is accepted/,
    plant: believeExtensions,
  },
  {
    hole: 'a route without its permission',
    check: 'privileges',
    names: /GET \/admin\/roles answers 200 to an administrator without api:admin:roles:list/,
    plant: route('GET', '/admin/roles', ({ config }) => {
      delete config?.permission;
    }),
  },
  {
    hole: 'grants that are not compared with those of the granter',
    check: 'privileges.grants',
    names: /makes a role with every right: 201/,
    plant: (app, { database }) =>
      route('POST', '/admin/roles', (options) => {
        const { handler } = options;
        options.handler = async function grantAnything(this: FastifyInstance, request, reply) {
          const { name, permissions } = request.body as { name: string; permissions: string[] };
          if (!permissions.includes('*')) return handler.call(this, request, reply);
          const [role] = await database.orm.insert(roles).values({ id: randomUUID(), name, permissions }).returning();
          return reply.code(201).send({ data: { ...role!, createdAt: 0, updatedAt: 0 } });
        };
      })(app),
  },
  {
    hole: 'no replay guard',
    check: 'envelopes.replay',
    names: /a second GET of one envelope is answered 200/,
    environment: optional,
    resources: stores(({ nonces }) => ({ nonces: { ...nonces, marks: everFirst(nonces.marks as StoreMarks) } })),
  },
  {
    hole: 'a write that is exempt from encryption',
    check: 'envelopes.plaintext',
    names: /POST with a plaintext body is answered 201, and not ENVELOPE_REQUIRED/,
    environment: {
      ...optional,
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_BYPASS_ROUTES: '/admin/roles POST',
    },
  },
  {
    hole: 'an action that is not recorded',
    check: 'audit.coverage',
    // A change in the database fails without a record, so this one is outside of it.
    names: /clearing a login limit has 0 records of auth\.clear-login-limit/,
    plant: route('POST', '/admin/auth/clearLoginLimit', (options) => {
      options.config = { ...options.config, audit: false };
    }),
  },
  {
    hole: 'failed sign-ins that are counted late',
    check: 'sign-in.guesses',
    names: /of 11 parallel wrong guesses 11 were verified, and not 5/,
    plant: countLate,
  },
  {
    hole: 'idempotency keys that are ignored',
    check: 'idempotency.writes',
    names: /their key was not looked at/,
    plant: route('POST', '/admin/roles', ({ config }) => {
      delete config?.idempotency;
    }),
  },
  {
    hole: 'the API documentation, turned on',
    check: 'exposure.documentation',
    names: /\/api-docs\/json is answered 200/,
    environment: { SERVICE_API_DOCS_ENABLED: 'true' },
  },
  {
    hole: 'a health check that shows its components to everybody',
    check: 'exposure.health',
    names: /\/actuator\/health tells more than its status: components/,
    plant: route('GET', '/actuator/health', (options) => {
      delete options.schema;
      options.handler = async () => ({ status: 'UP', components: { postgres: 'UP' } });
    }),
  },
  {
    hole: 'errors with their stack',
    check: 'exposure.errors',
    names: /the answer to .+ shows a stack/,
    plant: (app) => {
      const { setErrorHandler } = app;
      app.setErrorHandler = function setTellingHandler(this: App) {
        return setErrorHandler.call(this, (error, _request, reply) => {
          const { statusCode = 500, stack } = error as { statusCode?: number; stack?: string };
          return reply.code(statusCode).send({ stack });
        });
      } as typeof app.setErrorHandler;
    },
  },
  {
    hole: 'answers without nosniff',
    check: 'headers.security',
    names: /a success comes without X-Content-Type-Options/,
    plant: (app) => {
      app.addHook('onSend', async (_request, reply) => {
        reply.removeHeader('x-content-type-options');
      });
    },
  },
  {
    hole: 'development routes on a production server',
    check: 'exposure.internals',
    names: /\/dev\/sms-outbox is shown to everybody/,
  },
];
