import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { exactlyOnce } from '../../http/exactly-once.js';
import { cursorListOf, cursorQuery, idParams, oneOf, readId, searchText, UUID_PATTERN } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import { endAccess } from '../../protection/end-access.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import { showPage } from '../../storage/pages.js';
import {
  adminRefusedCount,
  checkNewPassword,
  type PasswordHashing,
  password,
  readPasswordLimits,
  refuseReused,
} from '../passwords/index.js';
import { rolesOf } from './access-control.js';
import {
  type AdministrationDependencies,
  createAdministration,
  type EndingChange,
  type ManagedAdministrator,
} from './administration.js';
import { newUsername } from './username.js';

export interface AdministratorDependencies extends AdministrationDependencies {
  readonly changes: Changes;
  readonly passwords: Pick<PasswordHashing, 'hash' | 'verify'>;
}

const administrator = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    displayName: Type.String(),
    disabled: Type.Boolean(),
    /** Refused at the sign-in because nobody has used it for long. Enabling it ends that. */
    inactive: Type.Boolean(),
    roleIds: Type.Array(Type.String()),
    version: Type.Integer(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
  },
  { title: 'Administrator' },
);

/** Far more roles than one account needs. */
const MAX_ROLES = 50;

const roleIds = Type.Array(Type.String({ pattern: UUID_PATTERN }), { maxItems: MAX_ROLES });

const newAdministrator = Type.Object(
  {
    username: newUsername,
    password,
    displayName,
    roleIds: Type.Optional(roleIds),
    disabled: Type.Optional(Type.Boolean()),
    /** The name may look like that of another account. */
    confirm: Type.Optional(Type.Boolean()),
  },
  { title: 'NewAdministrator', additionalProperties: false },
);

/** The user name cannot be changed: people and audit records identify the account by it. */
const changedAdministrator = Type.Object(
  {
    displayName: Type.Optional(displayName),
    roleIds: Type.Optional(roleIds),
    disabled: Type.Optional(Type.Boolean()),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { title: 'ChangedAdministrator', additionalProperties: false },
);

/** With the roles that it names, so that a page shows them by one request, and one record. */
const administratorList = Type.Object(
  {
    ...cursorListOf(administrator).properties,
    roles: Type.Union([
      Type.Array(Type.Object({ id: Type.String(), name: Type.String(), permissions: Type.Array(Type.String()) })),
      Type.Null(),
    ]),
  },
  { title: 'AdministratorList' },
);

const newPassword = Type.Object({ password }, { title: 'NewPassword', additionalProperties: false });

/**
 * `GET` and `POST /admin/administrators`; `GET`, `PUT` and `DELETE /admin/administrators/:id`; `PUT …/:id/password`
 * (USR-1, USR-2).
 */
export async function administratorRoutes(
  app: App,
  { database, access, forgetFactors, changes, passwords }: AdministratorDependencies,
): Promise<void> {
  const administration = createAdministration({ database, access, forgetFactors });

  /** Makes the change of a request after which the account may have no session. */
  const endingChangeOf = (request: FastifyRequest): EndingChange => ({
    runChange: runChangeOf(changes, request),
    endSessions: ({ id: subject, username }, reason) =>
      endAccess(app, request, { audience: 'admin', subject, username }, reason),
  });

  app.get(
    '/admin/administrators',
    {
      config: { access: 'admin', permission: 'api:admin:administrators:list', audit: 'administrator' },
      schema: {
        querystring: Type.Object({ ...cursorQuery, name: Type.Optional(searchText) }, { additionalProperties: false }),
        response: { 200: administratorList },
      },
    },
    async function listAdministrators(request) {
      const { query } = request;
      const { items, ...page } = await administration.list(query);
      const maySeeRoles = await request.hasPermission('api:admin:roles:list');
      const roles = maySeeRoles ? await rolesOf(database.reading, items) : null;
      return { data: items.map(show), page: showPage(query, page), roles };
    },
  );

  app.post(
    '/admin/administrators',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:administrators:create',
        stepUp: true,
        audit: { resource: 'administrator', changes: 'in-handler' },
        ...exactlyOnce,
      },
      schema: { body: newAdministrator, response: { 201: oneOf(administrator) } },
    },
    async function createAdministrator(request, reply) {
      const { principal, body } = request;
      const { username, password, displayName, disabled = false, confirm: isConfirmed = false } = body;
      await checkNewPassword(app, password, { username });
      const account = {
        username,
        displayName,
        disabled,
        isConfirmed,
        roleIds: distinct(body.roleIds ?? []),
        passwordHash: await passwords.hash(password),
      };
      const created = await administration.create(runChangeOf(changes, request), principal!.subject, account);
      return reply.code(201).send({ data: show(created) });
    },
  );

  app.get(
    '/admin/administrators/:id',
    {
      config: { access: 'admin', permission: 'api:admin:administrators:read', audit: 'administrator' },
      schema: { params: idParams, response: { 200: oneOf(administrator) } },
    },
    async function readAdministrator({ params }) {
      return { data: show(await administration.read(readId(params))) };
    },
  );

  app.put(
    '/admin/administrators/:id',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:administrators:update',
        stepUp: givesAccess,
        ends: true,
        audit: 'administrator',
      },
      schema: { params: idParams, body: changedAdministrator, response: { 200: oneOf(administrator) } },
    },
    async function updateAdministrator(request) {
      const { principal, params, body } = request;
      const { roleIds: chosen, ...content } = body;
      const roles = chosen === undefined ? {} : { roleIds: distinct(chosen) };
      const change = { ...content, ...roles };
      const changed = await administration.update(endingChangeOf(request), principal!.subject, readId(params), change);
      return { data: show(changed) };
    },
  );

  app.put(
    '/admin/administrators/:id/password',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:administrators:reset-password',
        stepUp: true,
        ends: true,
        audit: { action: 'password.reset' },
      },
      schema: { params: idParams, body: newPassword, response: { 204: Type.Null() } },
    },
    async function resetPassword(request, reply) {
      const { principal, params, body } = request;
      const [id, actorId] = [readId(params), principal!.subject];
      await checkNewPassword(app, body.password, await administration.read(id));
      const historyCount = adminRefusedCount(await readPasswordLimits(app));
      const known = historyCount === 0 ? null : await administration.knownHashes(actorId, id);
      if (known !== null) await refuseReused(passwords, body.password, known, { count: historyCount });
      const passwordHash = await passwords.hash(body.password);
      const reset = { passwordHash, from: known?.passwordHash ?? null, historyCount };
      await administration.resetPassword(endingChangeOf(request), actorId, id, reset);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/admin/administrators/:id',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:administrators:delete',
        ends: true,
        audit: 'administrator',
      },
      schema: { params: idParams, response: { 204: Type.Null() } },
    },
    async function deleteAdministrator(request, reply) {
      const { principal, params } = request;
      await administration.remove(endingChangeOf(request), principal!.subject, readId(params));
      return reply.code(204).send(null);
    },
  );
}

/** Ending access has to be possible at once. */
function givesAccess({ body }: FastifyRequest): boolean {
  const { roleIds, disabled } = (body ?? {}) as Static<typeof changedAdministrator>;
  return roleIds !== undefined || disabled === false;
}

/** Removes duplicate ids, which may differ in letter case. */
function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

function show({ createdAt, updatedAt, roleIds, ...account }: ManagedAdministrator) {
  const { id, username, displayName, disabled, inactive, version } = account;
  const times = { createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() };
  return { id, username, displayName, disabled, inactive, roleIds: [...roleIds], version, ...times };
}
