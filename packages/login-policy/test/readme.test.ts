import crypto from 'node:crypto';
import * as ttlStore from '@sallyport/ttl-store';
import { transform } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPagesOf } from '../../../scripts/package-pages.mjs';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import * as loginPolicy from '../src/index.js';
import { tally } from './guesses.js';

const pages = readPagesOf('login-policy');
const server = /```ts[^\n]*\n([\s\S]*?)```/.exec(pages)![1]!;

/** Hashing is no part of the policy, so it takes the least time. */
const quickCrypto = {
  ...crypto,
  scryptSync: (password: string, salt: Buffer, bytes: number) => crypto.scryptSync(password, salt, bytes, { N: 2 }),
};

/** The unchanged server of the README, on the given store, up to the line in which it listens. */
async function startReadmeServer(store: ttlStore.TtlStore): Promise<FastifyInstance> {
  const modules: Record<string, object> = {
    'node:crypto': quickCrypto,
    fastify: await import('fastify'),
    '@sallyport/login-policy': loginPolicy,
    '@sallyport/ttl-store': { ...ttlStore, createMemoryStore: () => store },
  };
  const { code } = await transform(server, { loader: 'ts', format: 'esm' });
  const body = code
    .replaceAll(/^import (\{.*\}) from "(.*)";$/gm, "const $1 = modules['$2'];")
    .replaceAll(/^import (\w+) from "(.*)";$/gm, "const $1 = modules['$2'].default;")
    .replace(/^await app\.listen.*$/m, 'return app;');
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const app = (await AsyncFunction('modules', body)(modules)) as FastifyInstance;
  onTestFinished(() => app.close());
  return app;
}

describe.each(stores)('the server of the README, on %s', (_name, open, need) => {
  it.skipIf(lacks(need))(
    'LGN-5 ADM-3 an application with its own user table signs in, refuses unknown names alike, and locks',
    async () => {
      const opened = await open();
      onTestFinished(() => opened.close());
      const app = await startReadmeServer(opened.nodes[0]);
      const login = (username: string, password: string) =>
        app.inject({ method: 'POST', url: '/login', body: { username, password } });

      expect((await login('ada', 'correct horse')).json()).toEqual({ username: 'ada' });
      expect((await login('ada', '')).statusCode).toBe(400);
      const wrong = await login('ada', 'wrong');
      const unknown = await login('bob', 'wrong');
      expect(wrong.statusCode).toBe(401);
      expect([unknown.statusCode, unknown.body]).toEqual([wrong.statusCode, wrong.body]);

      const guesses = await Promise.all(Array.from({ length: 30 }, () => login('ada', 'wrong')));
      expect(tally(guesses.map(({ statusCode }) => String(statusCode)))).toEqual({ 401: 4, 429: 26 });
      expect((await login('ada', 'correct horse')).json().code).toBe('LOGIN_LOCKED');
      await app.loginPolicy.clear({ username: 'ada' });
      expect((await login('ada', 'correct horse')).statusCode).toBe(200);
    },
  );
});

describe('the reference', () => {
  it('LGN-1 states every default of the policy', () => {
    for (const [name, value] of Object.entries(loginPolicy.LOGIN_POLICY_DEFAULTS)) {
      const row = new RegExp(`^\\| \`${name}\` +\\|[^|]*\\| (.*?) +\\|`, 'm').exec(pages);
      expect(row?.[1]?.replaceAll('`', '')).toBe(value === '' ? "''" : String(value));
    }
  });
});
