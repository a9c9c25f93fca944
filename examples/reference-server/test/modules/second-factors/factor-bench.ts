import { totpCodeAt } from '@sallyport/second-factor';
import type { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import type { App } from '../../../src/app.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** One step of TOTP, in milliseconds. */
export const STEP = 30_000;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A session of an account. */
export interface FactorSession {
  readonly headers: { authorization: string };
  call(method: Method, url: string, payload?: object): Promise<LightMyRequestResponse>;
}

/** An authenticator app that was confirmed. */
export interface Authenticator {
  readonly id: string;
  /** A code that was not shown before: the clock of the server is moved. */
  next(): string;
}

export interface FactorBench {
  readonly bench: TestBench;
  readonly app: App;
  readonly admin: Actor;
  now(): number;
  moveTo(step: number): void;
  setMode(mode: 'OFF' | 'OPTIONAL' | 'REQUIRED', audience?: 'admin' | 'app'): Promise<void>;
  person(permissions?: readonly string[]): Promise<Actor>;
  /** Another session of the account, with a proof or for a purpose. */
  session(
    account: { readonly id: string },
    more?: {
      purpose?: 'second-factor' | 'enrolment';
      proof?: 'password' | 'factor' | 'sms-code' | null;
      audience?: 'admin' | 'app';
    },
  ): Promise<FactorSession>;
  enrol(session: Pick<FactorSession, 'call'>, more?: object): Promise<Authenticator>;
  rows<Row extends object>(statement: ReturnType<typeof sql>): Promise<Row[]>;
  close(): Promise<void>;
}

/** A server whose clock of second factors the test moves. */
export async function openFactorBench(
  environment: Record<string, string> = {},
  storage: 'PostgreSQL' | 'embedded' = 'PostgreSQL',
): Promise<FactorBench> {
  const bench = await openTestBench(storage);
  let time = Math.floor(Date.now() / STEP) * STEP;
  const now = () => time;
  const config = bench.config({ ...roomy, ...environment });
  const app = await bench.appOn(config, bench.resources(config), { factorClock: now });
  const signedIn = await root(app);
  const call = (headers: FactorSession['headers']): FactorSession['call'] => {
    return (method, url, payload) => app.inject({ method, url, headers, ...(payload && { payload }) });
  };

  const issue = async (subject: string, proof: string) => {
    const client = { terminal: 'web', clientIp: '127.0.0.1' };
    const { token } = await app.authTokens.issue({ audience: 'admin', subject, ...client, proof: { method: proof } });
    return { authorization: `Bearer ${token}` };
  };
  // In every mode.
  const headers = await issue(signedIn.id, 'factor');
  const admin: Actor = { ...signedIn, headers, call: call(headers) };

  /** Codes of steps that were not used yet. */
  function authenticator(id: string, secret: string): Authenticator {
    return {
      id,
      next() {
        time += STEP;
        return totpCodeAt(secret, time);
      },
    };
  }

  return {
    bench,
    app,
    admin,
    now,
    moveTo: (step) => {
      time = step;
    },
    async setMode(mode, audience = 'admin') {
      await setParameter(admin, `${audience}.auth.second-factor.mode`, mode);
    },
    person: (permissions = []) => actor(app, admin, permissions),
    async session({ id: subject }, { purpose, proof = 'password', audience = 'admin' } = {}) {
      const { token } = await app.authTokens.issue({
        audience,
        subject,
        terminal: audience === 'admin' ? 'web' : 'app',
        clientIp: '127.0.0.1',
        ...(purpose && { purpose }),
        ...(proof && { proof: { method: proof } }),
      });
      const headers = { authorization: `Bearer ${token}` };
      return { headers, call: call(headers) };
    },
    async enrol(session, more = {}) {
      const begun = await session.call('POST', '/auth/second-factors/totp', { name: 'Phone', ...more });
      if (begun.statusCode !== 200) throw new Error(`not begun: ${begun.body}`);
      const { id, secret } = begun.json().data;
      const own = authenticator(id, secret);
      const url = `/auth/second-factors/totp/${id}/confirm`;
      const confirmed = await session.call('POST', url, { code: own.next(), ...more });
      if (confirmed.statusCode !== 200) throw new Error(`not confirmed: ${confirmed.body}`);
      return own;
    },
    rows: (statement) => rowsOf(bench.database.orm, statement),
    close: () => bench.close(),
  };
}
