import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Actor, actor } from '../../support/accounts.js';
import { type Authenticator, type FactorBench, openFactorBench } from '../second-factors/factor-bench.js';

/** What the receiver of the audit log was sent. */
interface Line {
  readonly action: string;
  readonly target: string | null;
  readonly security: boolean;
}

const WRONG = { kind: 'totp', code: '000000' };
const ADDRESS = '203.0.113.77';
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

describe('an attack on the second step', { timeout: 60_000 }, () => {
  let its: FactorBench;
  let receiver: Server;
  const lines: Line[] = [];
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const body = await text(request);
      for (const line of body.trimEnd().split('\n')) lines.push(JSON.parse(line));
      response.end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    its = await openFactorBench({ SERVICE_AUDIT_NDJSON_URL: `http://127.0.0.1:${port}/in` });
    await its.setMode('OPTIONAL');
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    await its.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  async function owner(): Promise<Actor & { readonly phone: Authenticator }> {
    const account = await actor(its.app, its.admin, ['*']);
    return { ...account, phone: await its.enrol(account) };
  }

  /** Sends a proof from the address of the attacker. */
  const prove = ({ authorization }: { authorization: string }, payload: object) =>
    its.app.inject({
      method: 'POST',
      url: '/auth/second-factor',
      headers: { authorization },
      payload,
      remoteAddress: ADDRESS,
    });
  const read = async (url: string) => (await its.admin.call('GET', url)).json();
  async function countsOf(): Promise<Record<string, number>> {
    const { kinds } = (await read('/admin/activity')).data as { kinds: Record<string, number[]> };
    return Object.fromEntries(Object.entries(kinds).map(([kind, counts]) => [kind, sum(counts)]));
  }
  async function added(act: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = await countsOf();
    await act();
    const after = await countsOf();
    const differences = Object.entries(after).map(([kind, count]) => [kind, count - before[kind]!] as const);
    return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
  }
  const locksOfCodes = async () => {
    const { body } = await its.admin.call('GET', '/actuator/metrics');
    return Number(/^sallyport_login_locks_total\{terminal="totp"\} (\d+)$/m.exec(body)?.[1] ?? 0);
  };

  it('CON-6 API-5 MFA-2: wrong codes are failed sign-ins with their account and address, and their lock is a lock', async () => {
    const account = await owner();
    const { headers } = await its.session(account, { purpose: 'second-factor' });
    const warn = vi.spyOn(its.app.log, 'warn');
    const locks = await locksOfCodes();
    const counts = await added(async () => {
      for (let n = 0; n < 12; n += 1) await prove(headers, WRONG);
    });
    expect(counts).toEqual({ 'sign-in.failure': 12, 'sign-in.lock': 1 });
    expect(await locksOfCodes()).toBe(locks + 1);
    const warnings = warn.mock.calls.filter(([, message]) => message === 'codes of a second factor locked');
    expect(warnings).toEqual([
      [
        { kind: 'totp', counter: 'account', lockedUntil: expect.any(Number), clientIp: ADDRESS },
        'codes of a second factor locked',
      ],
    ]);

    const { names, addresses } = await its.app.activity.readSources('hour');
    expect(names).toContainEqual({ audience: 'admin', id: account.id, name: account.username, failures: 12 });
    expect(addresses).toContainEqual({ address: ADDRESS, failures: 12 });
    const query = 'action=auth.login,auth.second-factor&outcome=refused';
    const found = await read(`/admin/audit-records?${query}&target=${account.username}`);
    expect(found.page.total).toBe(12);
    const locked = await read('/admin/audit-records?action=auth.lock,second-factor.lock');
    expect(locked.data).toMatchObject([
      { action: 'second-factor.lock', target: account.username, reason: 'LOGIN_LOCKED' },
    ]);
  });

  it('AUD-13 MFA-2: the lock is delivered as a security event', async () => {
    const account = await owner();
    const { headers } = await its.session(account, { purpose: 'second-factor' });
    const before = lines.length;
    for (let n = 0; n < 10; n += 1) await prove(headers, WRONG);
    const isLock = ({ action, target }: Line) => action === 'second-factor.lock' && target === account.username;
    await vi.waitFor(() => expect(lines.slice(before).find(isLock)).toMatchObject({ security: true }), 20_000);
  });

  it('API-5 MFA-2: a right code is one sign-in, and a step-up, right or wrong, is none', async () => {
    const account = await owner();
    const { headers } = await its.session(account, { purpose: 'second-factor' });
    const right = () => ({ kind: 'totp', code: account.phone.next() });
    expect(await added(() => prove(headers, right()))).toEqual({ 'sign-in.success': 1 });
    const full = await its.session(account, { proof: null });
    expect(await added(() => prove(full.headers, WRONG))).toEqual({});
    expect(await added(() => prove(full.headers, right()))).toEqual({});
  });
});
