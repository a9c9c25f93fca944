import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreMarks } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { App } from '../../src/app.js';
import type { Resources } from '../../src/storage/opened-resources.js';
import { roles } from '../../src/storage/schema.js';
import { believeDevices, believeExtensions, countLate, everFirst, route, stores, tellStacks } from './plants.js';

/** A plausible fault of a server, planted in a copy of it from outside. */
export interface PlantedHole {
  readonly hole: string;
  /** The check that must find it. */
  readonly check: string;
  /** The expected finding. */
  readonly names: RegExp;
  /** The items of ASVS whose claims it breaks, and no others (DOC-4). */
  readonly breaks: readonly string[];
  /** The one check is run, and not all of them, which take ten times as long. */
  readonly isBrief?: true;
  readonly environment?: Readonly<Record<string, string>>;
  /** Parameters that an administrator changes. */
  readonly parameters?: Readonly<Record<string, boolean>>;
  /** The development routes, which the profile of the tests has, are shown. */
  readonly showsDevelopment?: true;
  /** Alters the empty app, before the server is composed on it. */
  readonly plant?: (app: App, resources: Resources) => void;
  /** Alters the dependencies of the server. */
  readonly resources?: (resources: Resources) => Resources;
}

const privateKey = randomBytes(32).toString('hex');
const optional = { SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL', SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey };

export const plantedHoles: readonly PlantedHole[] = [
  {
    hole: 'device tokens that nobody looks up',
    check: 'sign-in.guesses',
    names: /while locked, a forged device token is answered 200/,
    breaks: ['V6.3.1'],
    isBrief: true,
    plant: believeDevices,
  },
  {
    hole: 'a sign-out that ends nothing',
    check: 'tokens.ends',
    names: /after sign-out the access token still opens the profile: 200/,
    breaks: ['V7.4.1'],
    plant: route('POST', '/auth/logout', (options) => {
      options.handler = async (_request, reply) => reply.code(204).send(null);
    }),
  },
  {
    hole: 'a changed role that keeps its old permissions',
    check: 'tokens.roles',
    names: /when the role is emptied, its right stays: 200/,
    breaks: ['V8.3.1'],
    isBrief: true,
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
    breaks: ['V2.3.4'],
    resources: stores(({ sessions }) => ({
      sessions: { ...sessions, take: (key) => (key.includes('ticket') ? sessions.get(key) : sessions.take(key)) },
    })),
  },
  {
    hole: 'X-Forwarded-For trusted from every client',
    check: 'proxies.address',
    names: /with a forged x-forwarded-for the recorded address is 203\.0\.113\.77/,
    breaks: ['V2.4.1', 'V6.3.1', 'V15.3.4', 'V16.2.1'],
    environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  {
    hole: 'rate limits by an address that clients choose',
    check: 'proxies.limits',
    names: /another forged address each were counted to 1, and not on/,
    breaks: ['V2.4.1', 'V15.3.4'],
    isBrief: true,
    plant: route('GET', '/admin/auth/captcha', (options) => {
      const keyGenerator = ({ headers, ip }: FastifyRequest) => String(headers['x-forwarded-for'] ?? ip);
      options.config = { ...options.config, rateLimit: { ...(options.config?.rateLimit || {}), keyGenerator } };
    }),
  },
  {
    hole: 'an upload policy that checks extensions only',
    check: 'uploads.contents',
    names: /a web page named \.jpg \(a\.jpg, sent as image\/jpeg\) is accepted/,
    breaks: ['V5.2.2', 'V5.2.3'],
    plant: believeExtensions,
  },
  {
    hole: 'a route without its permission',
    check: 'privileges.routes',
    names: /GET \/admin\/administrators answers 200 to an administrator without api:admin:administrators:list/,
    breaks: ['V8.2.1'],
    plant: route('GET', '/admin/administrators', ({ config }) => {
      delete config?.permission;
    }),
  },
  {
    hole: 'grants that are not compared with those of the granter',
    check: 'privileges.grants',
    names: /makes a role with every right: 201/,
    breaks: ['V8.3.1'],
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
    breaks: [],
    isBrief: true,
    environment: optional,
    resources: stores(({ nonces }) => ({ nonces: { ...nonces, marks: everFirst(nonces.marks as StoreMarks) } })),
  },
  {
    hole: 'a write that is exempt from encryption',
    check: 'envelopes.plaintext',
    names: /POST with a plaintext body is answered 201, and not ENVELOPE_REQUIRED/,
    breaks: [],
    isBrief: true,
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
    breaks: ['V16.3.3'],
    plant: route('POST', '/admin/auth/clearLoginLimit', (options) => {
      options.config = { ...options.config, audit: false };
    }),
  },
  {
    hole: 'failed sign-ins that are counted late',
    check: 'sign-in.guesses',
    names: /of 7 parallel wrong guesses 7 were verified, and not 5/,
    breaks: ['V6.3.1'],
    plant: countLate,
  },
  {
    hole: 'idempotency keys that are ignored',
    check: 'idempotency.writes',
    names: /their key was not looked at/,
    breaks: ['V2.3.4'],
    isBrief: true,
    plant: route('POST', '/admin/roles', ({ config }) => {
      delete config?.idempotency;
    }),
  },
  {
    hole: 'the API documentation, turned on',
    check: 'exposure.documentation',
    names: /\/api-docs\/json is answered 200/,
    breaks: ['V13.4.5'],
    isBrief: true,
    environment: { SERVICE_API_DOCS_ENABLED: 'true' },
  },
  {
    hole: 'a health check that shows its components to everybody',
    check: 'exposure.health',
    names: /\/actuator\/health shows more than its status: components/,
    breaks: ['V13.4.5'],
    isBrief: true,
    plant: route('GET', '/actuator/health', (options) => {
      delete options.schema;
      options.handler = async () => ({ status: 'UP', components: { postgres: 'UP' } });
    }),
  },
  {
    hole: 'errors with their stack',
    check: 'exposure.errors',
    names: /the answer to .+ shows a stack/,
    breaks: ['V16.5.1'],
    plant: tellStacks,
  },
  {
    hole: 'answers without nosniff',
    check: 'headers.security',
    names: /a success comes without X-Content-Type-Options/,
    breaks: ['V3.4.4', 'V5.3.1', 'V5.4.1'],
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
    breaks: ['V13.4.2', 'V15.2.3'],
    showsDevelopment: true,
  },
];
