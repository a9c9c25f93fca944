import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import { type HeldAnswer, holdRequest, until } from '../../../../scripts/held-request.js';
import type { App } from '../../src/app.js';
import { type Actor, OTHER_PASSWORD, PASSWORD, token } from './accounts.js';

/** The owner of a session, as its token names him. */
export interface Victim {
  readonly audience: 'admin' | 'app';
  readonly subject: string;
  readonly sessionId: string;
  readonly headers: { readonly authorization: string };
}

/** The sender of a prepared request; null: it is public. */
export function senderOf({ headers }: InjectOptions): Victim | null {
  const { authorization } = (headers ?? {}) as { readonly authorization?: string };
  if (authorization === undefined) return null;
  const claims = JSON.parse(Buffer.from(authorization.split('.')[1]!, 'base64url').toString());
  const { aud: audience, sub: subject, jti } = claims;
  const sessionId = `${jti}.${Buffer.from(`${audience}:${subject}`).toString('base64url')}`;
  return { audience, subject, sessionId, headers: { authorization } };
}

type Ending = (by: Actor, victim: Victim, app: App) => Promise<number>;

const accountOf = ({ audience, subject }: Victim) =>
  `/admin/${audience === 'admin' ? 'administrators' : 'app-users'}/${subject}`;

/** The ways to end a session, or to take a permission away. Each resolves to the status of its answer. */
export const endings: Readonly<Record<string, { readonly of: readonly string[]; readonly end: Ending }>> = {
  logout: {
    of: ['admin', 'app'],
    end: async (_by, { headers }, app) =>
      (await app.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode,
  },
  'the forced end of the session': {
    of: ['admin', 'app'],
    end: async (by, { sessionId }) => (await by.call('DELETE', `/admin/sessions/${sessionId}`)).statusCode,
  },
  'the forced end of all sessions': {
    of: ['admin', 'app'],
    end: async (by, victim) => (await by.call('DELETE', `${accountOf(victim)}/sessions`)).statusCode,
  },
  'the reset of the password': {
    of: ['admin'],
    end: async (by, victim) =>
      (await by.call('PUT', `${accountOf(victim)}/password`, { password: OTHER_PASSWORD })).statusCode,
  },
  'the change of the password': {
    of: ['admin'],
    async end(by, victim, app) {
      const { username } = (await by.call('GET', accountOf(victim))).json().data;
      const payload = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
      const headers = await token(app, username);
      return (await app.inject({ method: 'PUT', url: '/admin/profile/password', headers, payload })).statusCode;
    },
  },
  disabling: {
    of: ['admin', 'app'],
    end: async (by, victim) => (await by.call('PUT', accountOf(victim), { disabled: true })).statusCode,
  },
  deletion: {
    of: ['admin'],
    end: async (by, victim) => (await by.call('DELETE', accountOf(victim))).statusCode,
  },
  'the loss of all roles': {
    of: ['admin'],
    end: async (by, victim) => (await by.call('PUT', accountOf(victim), { roleIds: [] })).statusCode,
  },
};

/** Sends requests whose bodies are held back until the server waits for the rest. */
export async function openHolding(app: App) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let arrived: IncomingMessage | null = null;
  app.server.on('request', (request: IncomingMessage) => {
    arrived = request;
  });

  return async function hold({ method, url, headers, payload }: InjectOptions, heldBytes?: number) {
    arrived = null;
    const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload ?? {});
    const request = {
      method: method ?? 'POST',
      url: url as string,
      headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
      payload: body,
    };
    const held = await holdRequest(port, request, heldBytes);
    // Fastify, or the form's parser, listens when the hooks before the body have passed.
    await until(() => arrived !== null && arrived.listenerCount('data') + arrived.listenerCount('readable') > 0);
    return held;
  };
}

/** Its status, code and request id. */
export function readAnswer({ status, headers, body }: HeldAnswer) {
  const requestId = /^x-request-id: (.*)$/m.exec(headers)?.[1] ?? '';
  return { status, code: body === '' ? undefined : JSON.parse(body).code, requestId };
}
