import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FactorBench, type FactorSession, openFactorBench } from '../modules/second-factors/factor-bench.js';
import { type Actor, actor } from '../support/accounts.js';
import { eventReader } from '../support/event-reader.js';
import { setParameter } from '../support/system-parameters.js';

const FILE = '0190b5a0-0000-7000-8000-000000000000';
const STREAM = 'GET /admin/activity/stream';
const FIRST = 'admin.auth.password.force-first-change';

/** Asks whether the session, which came before the duty began, is still served. It can be asked once. */
type IsServed = () => Promise<boolean>;

/** A path on which no hook of the route sees the session, or sees it only once. */
interface Path {
  /** The source that has to ask. */
  readonly source: string;
  /** What it asks: one function of `session-duties.ts` for all duties. */
  readonly asks: 'findUnmetDuty' | 'confirmStillServed';
  open(its: FactorBench, session: FactorSession): Promise<IsServed>;
}

let origin: string;

const PATHS: Readonly<Record<string, Path>> = {
  'GET /actuator/health': {
    source: 'modules/health/routes.ts',
    asks: 'findUnmetDuty',
    open: async (_its, session) => async () =>
      Object.keys((await session.call('GET', '/actuator/health')).json()).includes('components'),
  },
  [STREAM]: {
    source: 'modules/activity/routes.ts',
    asks: 'confirmStillServed',
    async open(_its, { headers }) {
      const response = await fetch(`${origin}/admin/activity/stream`, { headers });
      expect(response.status).toBe(200);
      const reader = eventReader(response);
      expect(await reader.next()).not.toBeNull();
      return async () => {
        // Events that were sent before the duty began may still arrive.
        for (const began = Date.now(); Date.now() - began < 8000; ) {
          try {
            await reader.next();
          } catch {
            return false;
          }
        }
        await reader.cancel();
        return true;
      };
    },
  },
  'GET /public/storage/download': {
    source: 'modules/files/public-file-routes.ts',
    asks: 'findUnmetDuty',
    async open({ app }, { headers }) {
      const principal = await app.authTokens.check(headers.authorization.slice('Bearer '.length));
      const { ticket } = await app.authTokens.issueTicket({ principal, purpose: 'storage:download', resource: FILE });
      return async () => {
        const { code } = (await app.inject({ url: `/public/storage/download?id=${FILE}&ticket=${ticket}` })).json();
        expect(['NOT_FOUND', 'TICKET_INVALID']).toContain(code);
        return code === 'NOT_FOUND';
      };
    },
  },
  'POST /admin/storage/simulate': {
    source: 'modules/files/upload-simulation.ts',
    asks: 'confirmStillServed',
    async open({ app }, { headers }) {
      const { payload, finish } = slowBody('a text');
      const url = '/admin/storage/simulate?fileName=a.txt';
      const more = { ...headers, 'content-type': 'text/plain' };
      const answering = app
        .inject({ method: 'POST', url, headers: more, payload })
        .then(({ statusCode }) => statusCode);
      return async () => {
        finish();
        return (await answering) === 200;
      };
    },
  },
  'POST /admin/storage/files': {
    source: 'modules/files/receive-file.ts',
    asks: 'confirmStillServed',
    async open({ app }, { headers }) {
      // No file: refused for its form, unless the duty comes first.
      const { payload, finish } = slowBody('--x\r\n\r\n\r\n--x--\r\n');
      const more = { ...headers, 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': randomUUID() };
      const answering = app.inject({ method: 'POST', url: '/admin/storage/files', headers: more, payload });
      answering.catch(() => {});
      return async () => {
        finish();
        const { statusCode } = await answering;
        expect([400, 403]).toContain(statusCode);
        return statusCode === 400;
      };
    },
  },
};

/** A body that ends when the test says so. */
function slowBody(text: string) {
  const payload = new Readable({ read() {} });
  return {
    payload,
    finish() {
      payload.push(text);
      payload.push(null);
    },
  };
}

describe('sessions with an unmet duty, where no hook sees them', { timeout: 60_000 }, () => {
  let its: FactorBench;
  /** With a password that another administrator has set, and without a factor. */
  let person: Actor;
  beforeAll(async () => {
    its = await openFactorBench();
    origin = await its.app.listen({ host: '127.0.0.1', port: 0 });
    person = await actor(its.app, its.admin, ['*']);
  });
  afterAll(() => its.close());

  const duties = [
    {
      duty: 'MFA-2: the duty to prove a factor',
      begin: () => its.setMode('REQUIRED'),
      end: () => its.setMode('OFF'),
    },
    {
      duty: 'PWD-7: the duty to change the password',
      begin: () => setParameter(its.admin, FIRST, true),
      end: () => setParameter(its.admin, FIRST, false),
    },
  ];

  it.each(duties)('$duty holds on every such path', async ({ begin, end }) => {
    const lacking = await its.session(person);
    const opened = await Promise.all(
      Object.entries(PATHS).map(async ([name, { open }]) => {
        // A stream was served when it was opened.
        if (name !== STREAM) expect([name, await (await open(its, lacking))()]).toEqual([name, true]);
        return { name, isServed: [await open(its, lacking), await open(its, its.admin)] };
      }),
    );
    await begin();
    try {
      const asked = opened.map(async ({ name, isServed }) => [
        name,
        ...(await Promise.all(isServed.map((ask) => ask()))),
      ]);
      expect(await Promise.all(asked)).toEqual(opened.map(({ name }) => [name, false, true]));
    } finally {
      await end();
    }
  });

  it('MFA-2 PWD-7: every source that finds or confirms a principal itself is in the list, and asks for its duties', () => {
    const folder = new URL('../../src/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'protection/session-duties.ts')
      .map((name) => ({ source: name, text: readFileSync(new URL(name, folder), 'utf8') }));
    const asking = ({ text }: { text: string }) =>
      (['findUnmetDuty', 'confirmStillServed'] as const).find((name) => text.includes(`.${name}(request)`));
    const finding = /\bauthTokens\.(?:check|confirm|redeemTicket)\(/;
    const found = sources.filter((each) => finding.test(each.text) || asking(each) !== undefined);
    const list = found.map((each) => ({ source: each.source, asks: asking(each) }));
    expect(list.sort((a, b) => a.source.localeCompare(b.source))).toEqual(
      Object.values(PATHS)
        .map(({ source, asks }) => ({ source, asks }))
        .sort((a, b) => a.source.localeCompare(b.source)),
    );
    // The session has to be confirmed together with its duties.
    expect(sources.filter(({ text }) => text.includes('authTokens.confirm('))).toEqual([]);
  });
});
