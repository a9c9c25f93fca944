import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { passwordToSend } from '../src/modules/administrators/index.js';
import { type ApiAnswer, callApi } from './api-client.js';
import { inParallel } from './in-parallel.js';
import { codeFor } from './scenarios/sms-code.js';

/** What ends a session; null: nothing. */
export type SessionEnding =
  | 'logout'
  | 'revocation'
  | 'end of all'
  | 'password change'
  | 'reset'
  | 'disabling'
  | 'deletion'
  | null;

export interface CastSession {
  readonly token: string;
  readonly jti: string;
  /** A path that its token opens. */
  readonly path: string;
  readonly ending: SessionEnding;
}

/** Administrators and app users who signed in, some of whose sessions are about to end. */
export interface SessionCast {
  readonly sessions: readonly CastSession[];
  /** Ends what is to end, by requests to one node. Each is acknowledged. */
  endAt(origin: string): Promise<void>;
  /**
   * The same while the store of sessions has lost all of them. What their owners can't end then, an administrator ends;
   * of single sessions he is told that there is none.
   *
   * @param token of a session that was opened since
   */
  endUnseenAt(origin: string, token: string): Promise<void>;
}

/** A quarter of the sessions is kept, and a quarter each ends by logout, by revocation and with its account. */
const SESSIONS_OF_ACCOUNT = 4;
const OF_ACCOUNT = ['end of all', 'password change', 'reset', 'disabling', 'deletion'] as const;
const OF_ONE = [null, 'logout', 'revocation'] as const;

/** Their codes are sent as text messages, which takes a while: there are few, with one session each. */
const OF_APP_USERS = [null, 'logout', 'end of all', 'disabling'] as const;

const PASSWORD = passwordToSend('correct horse');
const OTHER_PASSWORD = passwordToSend('battery staple');

const TERMINALS = { admin: 'web', app: 'app' } as const;

interface Account {
  readonly id: string;
  readonly audience: 'admin' | 'app';
  /** What ends all its sessions; null: each has its own ending. */
  readonly ending: SessionEnding;
  readonly sessions: readonly CastSession[];
}

/** @param token of an administrator with every permission, who ends what administrators end */
export async function openSessionCast(
  origins: readonly [string, ...string[]],
  token: string,
  size: number,
): Promise<SessionCast> {
  const originOf = (index: number) => origins[index % origins.length]!;
  const numbers = Array.from({ length: Math.ceil(size / SESSIONS_OF_ACCOUNT) }, (_, index) => index);
  const administrators = await inParallel(numbers, (index) => openAdministrator(originOf(index), token, index));
  const appUsers = await inParallel(OF_APP_USERS, (ending) => openAppUser(origins[0], ending));
  const accounts = [...administrators, ...appUsers];
  return {
    sessions: accounts.flatMap(({ sessions }) => sessions),
    async endAt(origin) {
      await inParallel(accounts, (account) => endSessionsOf(account, { origin, token }, endings));
    },
    async endUnseenAt(origin, newToken) {
      await inParallel(accounts, (account) => endSessionsOf(account, { origin, token: newToken }, unseenEndings));
    },
  };
}

async function openAdministrator(origin: string, token: string, index: number): Promise<Account> {
  const ofAll = index % 4 === 3 ? OF_ACCOUNT[Math.floor(index / 4) % OF_ACCOUNT.length]! : null;
  const username = `cast-${randomUUID()}`;
  const body = { username, password: PASSWORD, displayName: username };
  await tryFor(201, origin, '/admin/administrators', { token, body });
  const sessions: CastSession[] = [];
  for (let place = 0; place < SESSIONS_OF_ACCOUNT; place += 1) {
    const credentials = { username, password: PASSWORD, terminal: TERMINALS.admin };
    const signedIn = await tryFor(200, origin, '/admin/auth/login', { body: credentials });
    sessions.push(sessionOf(signedIn.token, '/admin/profile', ofAll ?? OF_ONE[(index + place) % OF_ONE.length]!));
  }
  return { id: claimsOf(sessions[0]!.token).sub, audience: 'admin', ending: ofAll, sessions };
}

let lastMobile = 13_700_000_000 + (Date.now() % 50_000_000);

async function openAppUser(origin: string, ending: SessionEnding): Promise<Account> {
  const mobile = `+86${++lastMobile}`;
  const body = { mobile, smsCode: await codeFor(origin, mobile), terminal: TERMINALS.app };
  const session = sessionOf((await tryFor(200, origin, '/app/auth/login', { body })).token, '/app/profile', ending);
  return { id: claimsOf(session.token).sub, audience: 'app', ending: null, sessions: [session] };
}

function sessionOf(token: string, path: string, ending: SessionEnding): CastSession {
  return { token, jti: claimsOf(token).jti, path, ending };
}

function claimsOf(token: string): { readonly sub: string; readonly jti: string; readonly aud: string } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

interface Ender {
  readonly origin: string;
  readonly token: string;
}

async function endSessionsOf(
  { id, audience, ending, sessions }: Account,
  ender: Ender,
  by: typeof endings,
): Promise<void> {
  const path = audience === 'admin' ? `/admin/administrators/${id}` : `/admin/app-users/${id}`;
  if (ending !== null) return by[ending](path, sessions[0]!, ender);
  for (const session of sessions) if (session.ending !== null) await by[session.ending](path, session, ender);
}

/** For the path of an account, and one of its sessions. */
export const endings: Readonly<
  Record<NonNullable<SessionEnding>, (path: string, session: Pick<CastSession, 'token'>, ender: Ender) => Promise<void>>
> = {
  logout: (_path, { token }, { origin }) => tryFor(204, origin, '/auth/logout', { method: 'POST', token }),
  async revocation(_path, session, { origin, token }) {
    const listed = await tryFor(200, origin, '/admin/sessions', { token: session.token });
    const { id } = listed.find(({ current }: { readonly current: boolean }) => current);
    await tryFor(204, origin, `/admin/sessions/${id}`, { method: 'DELETE', token });
  },
  'end of all': (path, _session, { origin, token }) =>
    tryFor(204, origin, `${path}/sessions`, { method: 'DELETE', token }),
  async 'password change'(path, session, ender) {
    const body = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    const request = { method: 'PUT', token: session.token, body };
    const isDone = await tryFor(204, ender.origin, '/admin/profile/password', request);
    // An attempt that failed has ended the session that would repeat it: that end was not acknowledged.
    if (isDone === null) await endings.reset(path, session, ender);
  },
  reset: (path, _session, { origin, token }) =>
    tryFor(204, origin, `${path}/password`, { method: 'PUT', token, body: { password: OTHER_PASSWORD } }),
  disabling: (path, _session, { origin, token }) =>
    tryFor(200, origin, path, { method: 'PUT', token, body: { disabled: true } }),
  deletion: (path, _session, { origin, token }) => tryFor(204, origin, path, { method: 'DELETE', token }),
};

async function endById(_path: string, { token }: Pick<CastSession, 'token'>, ender: Ender): Promise<void> {
  const { jti, aud, sub } = claimsOf(token);
  const id = `${jti}.${Buffer.from(`${aud}:${sub}`).toString('base64url')}`;
  await tryFor(404, ender.origin, `/admin/sessions/${id}`, { method: 'DELETE', token: ender.token });
}

const unseenEndings: typeof endings = {
  ...endings,
  logout: endById,
  revocation: endById,
  'password change': (...given) => endings.reset(...given),
};

const PATIENCE_MILLIS = 20_000;

/**
 * Repeats a request that the server had no time for. What is gone then, or there already, is so by an earlier attempt.
 */
async function tryFor(expected: number, ...request: Parameters<typeof callApi>): Promise<ApiAnswer['data']> {
  const deadline = performance.now() + PATIENCE_MILLIS;
  for (let isFirst = true; ; isFirst = false) {
    const { status, code, data } = await callApi(...request);
    if (status === expected) return data;
    if (!isFirst && [401, 404, 409].includes(status)) return null;
    if (status !== 503 || performance.now() > deadline) throw new Error(`${request[1]} was answered ${status} ${code}`);
    await sleep(200);
  }
}
