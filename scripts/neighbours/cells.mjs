// ADP-12: what people combine with the packages, and which packages meet it. Each pair is a cell of the table.

/** They answer requests, or work in a hook or a handler. */
const SERVING = [
  ...['auth-tokens', 'audit-log', 'idempotency', 'envelope-crypto', 'replay-guard'],
  ...['client-ip', 'login-policy', 'upload-policy', 'system-parameters'],
];

const without = (...names) => SERVING.filter((name) => !names.includes(name));

/** They keep what they know in tables of PostgreSQL. */
const STORING = [
  ...['ttl-store', 'auth-tokens', 'replay-guard', 'login-policy'],
  ...['idempotency', 'audit-log', 'system-parameters'],
];

const EVERY = [
  ...['audit-log', 'auth-tokens', 'captcha', 'client-ip', 'envelope-crypto', 'idempotency', 'login-policy', 'masking'],
  ...[
    'one-time-codes',
    'password-hashing',
    'plugin-kit',
    'replay-guard',
    'second-factor',
    'system-parameters',
    'ttl-store',
  ],
  'upload-policy',
];

/**
 * @typedef {object} Neighbour
 * @property {string} name
 * @property {string} title as the table has it
 * @property {readonly string[]} packages that meet it
 * @property {'application' | 'pooler' | 'bundle' | 'fastify'} kind how the packages are tried
 * @property {boolean} [isQuick] it needs no service, and seconds
 * @property {string} [driver] behind a pooler
 * @property {string} [fastify] the folder of the release, below `node_modules`
 */

/** @type {readonly Neighbour[]} */
export const NEIGHBOURS = [
  { name: 'zod', title: 'zod', packages: SERVING, isQuick: true },
  { name: 'typebox', title: 'TypeBox', packages: SERVING },
  { name: 'trpc', title: 'tRPC', packages: SERVING, isQuick: true },
  { name: 'trpc-own-route', title: 'tRPC, own route', packages: ['auth-tokens', 'idempotency', 'envelope-crypto'] },
  { name: 'mercurius', title: 'mercurius', packages: SERVING, isQuick: true },
  {
    name: 'mercurius-own-route',
    title: 'mercurius, own route',
    packages: ['auth-tokens', 'idempotency', 'envelope-crypto'],
  },
  { name: 'http-proxy', title: '@fastify/http-proxy', packages: without('login-policy'), isQuick: true },
  { name: 'http-proxy-post', title: '@fastify/http-proxy, POST alone', packages: ['idempotency'] },
  { name: 'websocket', title: '@fastify/websocket', packages: SERVING, isQuick: true },
  { name: 'events', title: 'server-sent events, hijacked', packages: SERVING, isQuick: true },
  { name: 'hijack', title: 'hijacked replies', packages: SERVING, isQuick: true },
  { name: 'http2', title: 'HTTP/2', packages: SERVING, isQuick: true },
  { name: 'pgbouncer-node-postgres', title: 'PgBouncer, node-postgres', driver: 'node-postgres', packages: STORING },
  { name: 'pgbouncer-postgres', title: 'PgBouncer, postgres.js', driver: 'postgres.js', packages: STORING },
  {
    name: 'pgbouncer-postgres-defaults',
    title: 'PgBouncer, postgres.js with its defaults',
    driver: 'postgres.js by its defaults',
    packages: STORING,
  },
  { name: 'esbuild', title: 'esbuild bundle', kind: 'bundle', packages: EVERY },
  { name: 'fastify-oldest', title: 'Fastify 5.0.0', fastify: 'fastify-oldest', packages: EVERY },
  { name: 'fastify-newest', title: 'Fastify 5, newest', fastify: 'fastify', packages: EVERY },
].map((neighbour) => ({ kind: kindOf(neighbour), ...neighbour }));

function kindOf({ driver, fastify }) {
  if (driver !== undefined) return 'pooler';
  return fastify === undefined ? 'application' : 'fastify';
}

/** What an npm project needs for all of them, in addition to the packages. */
export const INSTALLED = [
  ...['fastify@5', 'fastify-oldest@npm:fastify@5.0.0'],
  ...['zod@4', 'fastify-type-provider-zod@7', '@fastify/swagger@9', 'openapi-types@12'],
  ...['@fastify/type-provider-typebox@6', 'typebox@1', 'ajv-formats@3'],
  ...['@trpc/server@11', 'typescript@6', 'mercurius@16', 'graphql@16'],
  ...['@fastify/websocket@11', 'ws@8', '@fastify/http-proxy@11'],
  ...[
    '@simplewebauthn/server@14',
    'axios@1',
    'drizzle-orm',
    'pg@8',
    'postgres@3.4.9',
    'ioredis@6',
    '@electric-sql/pglite',
  ],
];
