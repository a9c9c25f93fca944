import { totpCodeAt } from '@sallyport/second-factor';
import { callFor } from './api-client.js';
import { by, type LoadContext, newAppUser, signedIn, type WritingOperation } from './writing-operations.js';

/** An app user who has begun to enrol an authenticator app. */
async function begun(context: LoadContext) {
  const { token } = await newAppUser(context);
  const { id, secret } = await callFor(200, context.origin, '/auth/second-factors/totp', { token, body: {} });
  return { token, id, secret, code: totpCodeAt(secret, Date.now()) };
}

async function enrolled(context: LoadContext) {
  const { token, id, secret, code } = await begun(context);
  await callFor(200, context.origin, `/auth/second-factors/totp/${id}/confirm`, { token, body: { code } });
  return { token, id, secret };
}

/** A passkey needs an authenticator: its answer is refused, which is recorded all the same. */
const passkeyIsMissing = { prepare: async () => null };

/** The operations on second factors that write. Those of owners are made by app users, of whom none needs a factor. */
export const factorOperations: Readonly<Record<string, WritingOperation>> = {
  'POST /auth/second-factor': {
    async prepare(context) {
      const { token, secret } = await enrolled(context);
      // The next step, which the server accepts as well.
      const code = totpCodeAt(secret, Date.now() + 30_000);
      return by('POST', '/auth/second-factor', token, { kind: 'totp', code });
    },
  },
  'POST /auth/second-factor/options': passkeyIsMissing,
  'POST /auth/second-factors/totp': {
    prepare: async (context) => by('POST', '/auth/second-factors/totp', (await newAppUser(context)).token, {}),
  },
  'POST /auth/second-factors/totp/:id/confirm': {
    async prepare(context) {
      const { token, id, code } = await begun(context);
      return by('POST', `/auth/second-factors/totp/${id}/confirm`, token, { code });
    },
  },
  'POST /auth/second-factors/passkeys/options': {
    prepare: async (context) =>
      by('POST', '/auth/second-factors/passkeys/options', (await newAppUser(context)).token, {}),
  },
  'POST /auth/second-factors/passkeys': passkeyIsMissing,
  'POST /auth/second-factors/recovery-codes': {
    prepare: async (context) => by('POST', '/auth/second-factors/recovery-codes', (await enrolled(context)).token, {}),
  },
  'DELETE /auth/second-factors/:id': {
    async prepare(context) {
      const { token, id } = await enrolled(context);
      return by('DELETE', `/auth/second-factors/${id}`, token);
    },
  },
  'DELETE /admin/administrators/:id/second-factors': {
    prepare: async (context) =>
      by('DELETE', `/admin/administrators/${(await signedIn(context)).id}/second-factors`, context.token),
  },
  'POST /admin/administrators/:id/second-factors/enrolment-code': {
    async prepare(context) {
      const { id } = await signedIn(context);
      return by('POST', `/admin/administrators/${id}/second-factors/enrolment-code`, context.token, {});
    },
  },
  'DELETE /admin/app-users/:id/second-factors': {
    prepare: async (context) =>
      by('DELETE', `/admin/app-users/${(await newAppUser(context)).id}/second-factors`, context.token),
  },
  'POST /admin/app-users/:id/second-factors/enrolment-code': {
    async prepare(context) {
      const { id } = await newAppUser(context);
      return by('POST', `/admin/app-users/${id}/second-factors/enrolment-code`, context.token, {});
    },
  },
};
