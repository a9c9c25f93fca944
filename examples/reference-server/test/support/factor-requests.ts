import { totpCodeAt } from '@sallyport/second-factor';
import { sql } from 'drizzle-orm';
import { createSoftwareAuthenticator } from '../../../../packages/second-factor/test/passkeys/software-authenticator.js';
import { relyingPartyOf } from '../../src/modules/second-factors/engines.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { type Actor, actor } from './accounts.js';
import { type AppActor, newAppUser } from './app-accounts.js';
import { setParameter } from './system-parameters.js';
import type { Prepare, WritingContext } from './writing-requests.js';

const MODE = 'app.auth.second-factor.mode';

/** An app user who may have factors, so that the administrators of the test need none. */
async function user({ app, admin }: WritingContext): Promise<AppActor> {
  const { value } = (await admin.call('GET', `/admin/system-parameters/${MODE}`)).json().data;
  if (value === 'OFF') await setParameter(admin, MODE, 'OPTIONAL');
  return newAppUser(app);
}

/** Begins an authenticator app. */
async function begun(by: AppActor): Promise<{ id: string; code: string }> {
  const { id, secret } = (await by.call('POST', '/auth/second-factors/totp', {})).json().data;
  // Of the next step, which is taken too, since the request may be sent much later.
  return { id, code: totpCodeAt(secret, Date.now() + 30_000) };
}

/** A user with an authenticator app. */
async function enrolled(context: WritingContext): Promise<AppActor & { factorId: string }> {
  const by = await user(context);
  const { id, code } = await begun(by);
  const confirmed = await by.call('POST', `/auth/second-factors/totp/${id}/confirm`, { code });
  if (confirmed.statusCode !== 200) throw new Error(`not confirmed: ${confirmed.body}`);
  return { ...by, factorId: id };
}

async function idOf({ bench }: WritingContext, { mobile }: AppActor): Promise<string> {
  const statement = sql`select id from app_users where mobile = ${mobile}`;
  return (await rowsOf<{ id: string }>(bench.database.orm, statement))[0]!.id;
}

const request = (method: 'POST' | 'DELETE', url: string, by: Pick<Actor, 'headers'>, payload?: object) => ({
  method,
  url,
  headers: by.headers,
  ...(payload && { payload }),
});

async function newPasskey({ bench }: WritingContext, by: AppActor): Promise<object> {
  const asked = (await by.call('POST', '/auth/second-factors/passkeys/options', {})).json().data;
  const { rpId, origins } = relyingPartyOf(bench.config())!;
  return createSoftwareAuthenticator({ rpId, origin: origins[0]! }).create(asked);
}

/** A valid request for every operation on second factors that writes. */
export const factorRequests: Readonly<Record<string, Prepare>> = {
  async 'POST /auth/second-factor/options'(context) {
    const by = await user(context);
    await by.call('POST', '/auth/second-factors/passkeys', { credential: await newPasskey(context, by) });
    return request('POST', '/auth/second-factor/options', by, { kind: 'passkey' });
  },
  'POST /auth/second-factors/totp': async (context) =>
    request('POST', '/auth/second-factors/totp', await user(context), {}),
  async 'POST /auth/second-factors/totp/:id/confirm'(context) {
    const by = await user(context);
    const { id, code } = await begun(by);
    return request('POST', `/auth/second-factors/totp/${id}/confirm`, by, { code });
  },
  'POST /auth/second-factors/passkeys/options': async (context) =>
    request('POST', '/auth/second-factors/passkeys/options', await user(context), {}),
  async 'POST /auth/second-factors/passkeys'(context) {
    const by = await user(context);
    return request('POST', '/auth/second-factors/passkeys', by, { credential: await newPasskey(context, by) });
  },
  'POST /auth/second-factors/recovery-codes': async (context) =>
    request('POST', '/auth/second-factors/recovery-codes', await enrolled(context), {}),
  async 'DELETE /auth/second-factors/:id'(context) {
    const by = await enrolled(context);
    return request('DELETE', `/auth/second-factors/${by.factorId}`, by);
  },
  async 'DELETE /admin/administrators/:id/second-factors'({ app, admin }) {
    const { id } = await actor(app, admin, []);
    return request('DELETE', `/admin/administrators/${id}/second-factors`, admin);
  },
  async 'POST /admin/administrators/:id/second-factors/enrolment-code'({ app, admin }) {
    const { id } = await actor(app, admin, []);
    return request('POST', `/admin/administrators/${id}/second-factors/enrolment-code`, admin, {});
  },
  async 'DELETE /admin/app-users/:id/second-factors'(context) {
    const id = await idOf(context, await newAppUser(context.app));
    return request('DELETE', `/admin/app-users/${id}/second-factors`, context.admin);
  },
  async 'POST /admin/app-users/:id/second-factors/enrolment-code'(context) {
    const id = await idOf(context, await newAppUser(context.app));
    return request('POST', `/admin/app-users/${id}/second-factors/enrolment-code`, context.admin, {});
  },
};
