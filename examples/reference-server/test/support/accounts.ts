import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import type { App } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config/config.js';
import { passwordToSend } from '../../src/modules/administrators/development-account.js';
import { signIn } from './test-app.js';

/** High limits for tests that sign in often. */
export const roomy = {
  SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '100000',
  SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '100000',
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '100000',
  SERVICE_FLOOD_GATE_MAX_REQUESTS: '100000',
};

/** The settings of a quiet node with high limits, for tests that build their nodes on PostgreSQL themselves. */
export function roomyConfig(databaseUrl: string, folder: string): Config {
  return readConfig({
    ...roomy,
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_DATA_DIR: folder,
    SERVICE_DATABASE_URL: databaseUrl,
  });
}

/** The credentials of every test account. */
export const PASSWORD = passwordToSend('correct horse');
export const OTHER_PASSWORD = passwordToSend('battery staple');

type Headers = { authorization: string };
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A signed-in administrator. */
export interface Actor {
  readonly id: string;
  readonly username: string;
  readonly roleId: string;
  readonly headers: Headers;
  call(method: Method, url: string, payload?: object): Promise<LightMyRequestResponse>;
}

function call(app: App, headers: Headers): Actor['call'] {
  return (method, url, payload) => app.inject({ method, url, headers, ...(payload && { payload }) });
}

/** The development account with its current session. */
export async function root(app: App): Promise<Actor> {
  const response = await signIn(app);
  const headers = { authorization: `Bearer ${response.json().data.token}` };
  const { data } = (await call(app, headers)('GET', '/admin/administrators?size=200')).json();
  const { id, roleIds } = data.find(({ username }: { username: string }) => username === 'admin');
  return { id, username: 'admin', roleId: roleIds[0], headers, call: call(app, headers) };
}

/** Signs in; rejects if the sign-in is refused. */
export async function token(app: App, username: string, password = PASSWORD): Promise<Headers> {
  const response = await signIn(app, { username, password, terminal: 'web' });
  if (response.statusCode !== 200) throw new Error(`sign-in refused: ${response.body}`);
  return { authorization: `Bearer ${response.json().data.token}` };
}

/** A new signed-in administrator with its own role. */
export async function actor(app: App, by: Actor, permissions: readonly string[]): Promise<Actor> {
  const username = `user-${randomUUID()}`;
  const role = await by.call('POST', '/admin/roles', { name: `Role of ${username}`, permissions });
  const roleId: string = role.json().data.id;
  const content = { username, password: PASSWORD, displayName: username, roleIds: [roleId] };
  const account = await by.call('POST', '/admin/administrators', content);
  const headers = await token(app, username);
  return { id: account.json().data.id, username, roleId, headers, call: call(app, headers) };
}
