import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { totpCodeAt } from '@sallyport/second-factor';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import { type App, buildApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { type Actor, actor, PASSWORD, roomy, root } from '../../support/accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { signIn } from '../../support/test-app.js';

const USES = 100;
const SESSIONS = 5;
const STEP = 30_000;

/** The stores that keep sessions, counters and used steps. Records are in PostgreSQL with each. */
const cases = [
  { store: 'PostgreSQL', need: null, settings: () => ({}) },
  {
    store: 'Redis',
    need: 'redis',
    settings: () => ({ SERVICE_REDIS_URL: inject('redisUrl')!, SERVICE_REDIS_KEY_PREFIX: `one-code-${randomUUID()}:` }),
  },
] as const;

describe.each(cases)('one code on two nodes over PostgreSQL, with sessions in $store', ({ need, settings }) => {
  let database: TestDatabase;
  let folder: string;
  let nodes: App[] = [];
  let admin: Actor;
  beforeAll(async () => {
    if (lacks(need)) return;
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-one-code-'));
    const config = readConfig({
      ...{ SERVICE_PROFILE: 'development', SERVICE_LOG_LEVEL: 'silent', SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4' },
      ...{ SERVICE_DATA_DIR: folder, SERVICE_DATABASE_URL: database.url },
      ...roomy,
      ...settings(),
    });
    // Each with connections of its own.
    nodes = [await buildApp(config), await buildApp(config)];
    admin = await root(nodes[0]!);
    await setParameter(admin, 'admin.auth.second-factor.mode', 'OPTIONAL');
  }, 120_000);
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** An account with an authenticator app, sessions that wait for its code, and one more. */
  async function owner() {
    const account = await actor(nodes[0]!, admin, []);
    const { id, secret } = (await account.call('POST', '/auth/second-factors/totp', {})).json().data;
    const confirm = `/auth/second-factors/totp/${id}/confirm`;
    const confirmed = await account.call('POST', confirm, { code: totpCodeAt(secret, Date.now()) });
    expect(confirmed.statusCode).toBe(200);
    const tokens: string[] = [];
    for (let n = 0; n <= SESSIONS; n += 1) tokens.push(await pendingToken(account));
    return { account, tokens, codeOfNextStep: () => totpCodeAt(secret, Date.now() + STEP) };
  }

  async function pendingToken({ username }: Actor): Promise<string> {
    const answer = await signIn(nodes[0]!, { username, password: PASSWORD, terminal: 'web' });
    const { secondFactor, token } = answer.json().data;
    expect(secondFactor).toMatchObject({ kinds: ['totp'] });
    return token;
  }

  it.skipIf(lacks(need))(
    'MFA-1 MFA-2 of 100 parallel uses of one TOTP code at most one opens a session, and no later one does',
    { timeout: 180_000 },
    async () => {
      const use = (code: string, n: number, token: string) =>
        nodes[n % 2]!.inject({
          method: 'POST',
          url: '/auth/second-factor',
          headers: { authorization: `Bearer ${token}` },
          payload: { kind: 'totp', code },
        });
      // Before the nodes are busy.
      const owners = [await owner(), await owner(), await owner()];
      const alone = await owner();
      for (const { account, tokens, codeOfNextStep } of owners) {
        const code = codeOfNextStep();
        const prove = (n: number, token: string) => use(code, n, token);
        const uses = await Promise.all(Array.from({ length: USES }, (_, n) => prove(n, tokens[n % SESSIONS]!)));
        const right = uses.filter(({ statusCode }) => statusCode === 200).length;
        expect(right).toBeLessThanOrEqual(1);
        // One that is refused says so. A busy node may refuse to judge, and opens nothing then.
        const others = uses.map(({ statusCode }) => statusCode).filter((status) => status !== 200);
        expect([...new Set(others)].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
        const late = await prove(0, tokens[SESSIONS]!);
        expect([401, 429, 503]).toContain(late.statusCode);
        const sessions = await nodes[1]!.authTokens.sessions({ audience: 'admin', subject: account.id });
        const full = sessions.filter(({ purpose, proof }) => purpose === undefined && proof?.method === 'factor');
        // With the one that enrolled.
        expect(full).toHaveLength(1 + right);
      }
      // The race may have no winner: a busy node refuses to judge. A code that is used alone has one.
      expect((await use(alone.codeOfNextStep(), 0, alone.tokens[0]!)).statusCode).toBe(200);
    },
  );
});
