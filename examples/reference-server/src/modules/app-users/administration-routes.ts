import { Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { cursorListOf, cursorQuery, idParams, oneOf, readId } from '../../http/lists.js';
import { MAX_MOBILE_LENGTH, readMobileNumber } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import { endAccess, endSessions } from '../../protection/end-access.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import { showPage } from '../../storage/pages.js';
import { assertMayEndSessions, noteSessions, type SessionRule } from '../sessions/index.js';
import { createAppUserAdministration, type EndSessions, type ManagedAppUser } from './administration.js';

export interface AppUserAdministrationDependencies extends SessionRule {
  readonly config: Pick<Config, 'app.auth.default-region'>;
  readonly changes: Changes;
}

const appUser = Type.Object(
  {
    id: Type.String(),
    /** Masked: administrators do not need the whole number. */
    mobile: Type.String(),
    displayName: Type.String(),
    hasPassword: Type.Boolean(),
    disabled: Type.Boolean(),
    /** Refused at the sign-in because nobody has used it for long. Enabling it ends that. */
    inactive: Type.Boolean(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
  },
  { title: 'AppUser' },
);

const changedAppUser = Type.Object(
  { disabled: Type.Boolean() },
  { title: 'ChangedAppUser', additionalProperties: false },
);

const appUserQuery = Type.Object(
  { ...cursorQuery, mobile: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_MOBILE_LENGTH })) },
  { additionalProperties: false },
);

/** `GET /admin/app-users`; `GET` and `PUT /admin/app-users/:id`; `DELETE …/:id/sessions` (TOK-6, TOK-7). */
export async function appUserAdministrationRoutes(
  app: App,
  { config, database, changes, access }: AppUserAdministrationDependencies,
): Promise<void> {
  const administration = createAppUserAdministration({ database });

  app.get(
    '/admin/app-users',
    {
      config: { access: 'admin', permission: 'api:admin:app-users:list', audit: 'app-user' },
      schema: { querystring: appUserQuery, response: { 200: cursorListOf(appUser) } },
    },
    async function listAppUsers({ query }) {
      const { mobile } = query;
      const number = mobile === undefined ? null : readMobileNumber(mobile, config['app.auth.default-region']);
      const { items, ...page } = await administration.list(query, number);
      return { data: items.map(show), page: showPage(query, page) };
    },
  );

  app.get(
    '/admin/app-users/:id',
    {
      config: { access: 'admin', permission: 'api:admin:app-users:read', audit: 'app-user' },
      schema: { params: idParams, response: { 200: oneOf(appUser) } },
    },
    async function readAppUser({ params }) {
      return { data: show(await administration.read(readId(params))) };
    },
  );

  app.put(
    '/admin/app-users/:id',
    {
      config: { access: 'admin', permission: 'api:admin:app-users:update', ends: true, audit: 'app-user' },
      schema: {
        params: idParams,
        body: changedAppUser,
        response: { 200: oneOf(appUser) },
      },
    },
    async function updateAppUser(request) {
      const id = readId(request.params);
      const runChange = runChangeOf(changes, request);
      const endSessions: EndSessions = ({ id: subject, mobile: username }) =>
        endAccess(app, request, { audience: 'app', subject, username }, 'ACCOUNT_DISABLED');
      return { data: show(await administration.setDisabled({ runChange, endSessions }, id, request.body.disabled)) };
    },
  );

  app.delete(
    '/admin/app-users/:id/sessions',
    {
      config: {
        access: 'admin',
        permission: ['api:admin:sessions:end', 'api:admin:app-users:update'],
        ends: true,
        audit: { action: 'session.revoke' },
      },
      schema: { params: idParams, response: { 204: Type.Null() } },
      preHandler: async (request) => noteSessions(request, `app:${request.params.id.toLowerCase()}`),
    },
    async function endAppSessions(request, reply) {
      const { id } = await administration.read(readId(request.params));
      await assertMayEndSessions(request, { audience: 'app', subject: id }, { database, access });
      await endSessions(app, request, { audience: 'app', subject: id });
      return reply.code(204).send(null);
    },
  );
}

function show({ maskedMobile, ...user }: ManagedAppUser) {
  return { ...user, mobile: maskedMobile };
}
