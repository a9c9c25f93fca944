import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { vi } from 'vitest';
import type { App } from '../../src/app.js';
import type { OutboxMessage } from '../../src/modules/notifications/outbox.js';
import { roomy } from './accounts.js';

/** High limits for tests that sign in and request codes often. */
export const roomyApp = roomy;

/** A number that no other test of the file uses. */
export const freshMobile = (() => {
  let last = 13_900_000_000;
  return () => `+86${++last}`;
})();

/** Another code of the same length. */
export const wrong = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

export function sendSmsCode(app: App, mobile: string, more: InjectOptions = {}): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/app/auth/sendSmsCode', payload: { mobile }, ...more });
}

export function appSignIn(app: App, body: object, more: InjectOptions = {}): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/app/auth/login', payload: { terminal: 'app', ...body }, ...more });
}

/** The outbox messages of a number, newest first. */
export async function outboxOf(app: App, mobile: string): Promise<OutboxMessage[]> {
  return (await app.inject(`/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}`)).json().data;
}

/** Requests a code and waits until it is in the outbox. */
export async function codeFor(app: App, mobile: string, more: InjectOptions = {}): Promise<string> {
  const before = (await outboxOf(app, mobile)).length;
  const response = await sendSmsCode(app, mobile, more);
  if (response.statusCode !== 202) throw new Error(`no code was sent: ${response.body}`);
  return vi.waitFor(
    async () => {
      const messages = await outboxOf(app, mobile);
      if (messages.length === before) throw new Error('the message has not come yet');
      return messages[0]!.code;
    },
    { timeout: 20_000, interval: 10 },
  );
}

/** A signed-in app user. */
export interface AppActor {
  readonly mobile: string;
  readonly headers: { authorization: string };
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object): Promise<LightMyRequestResponse>;
}

export function appActor(app: App, mobile: string, token: string): AppActor {
  const headers = { authorization: `Bearer ${token}` };
  return {
    mobile,
    headers,
    call: (method, url, payload) => app.inject({ method, url, headers, ...(payload && { payload }) }),
  };
}

/** A new user, signed in by a code, from a separate address. */
export async function newAppUser(app: App, mobile = freshMobile()): Promise<AppActor> {
  const from = { remoteAddress: `198.51.100.${Number(mobile.slice(-6)) % 250}` };
  const smsCode = await codeFor(app, mobile, from);
  const response = await appSignIn(app, { mobile, smsCode }, from);
  return appActor(app, mobile, response.json().data.token);
}
