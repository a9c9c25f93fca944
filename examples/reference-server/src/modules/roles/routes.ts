import { Type } from 'typebox';
import { exactlyOnce } from '../../http/exactly-once.js';
import { idParams, listOf, oneOf, pageQuery, readId } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { legibleName } from '../../http/name-schemas.js';
import { detailOfChange } from '../../http/recorded-change.js';
import type { Changes } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import type { AccessControl } from './access.js';
import { permissionGrantFormat } from './grants.js';
import { createRoles, type Role } from './roles.js';

export interface RoleDependencies {
  readonly database: ReadableDatabase;
  readonly changes: Changes;
  readonly access: AccessControl;
}

const role = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    permissions: Type.Array(Type.String()),
    version: Type.Integer(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
  },
  { title: 'Role' },
);

const name = legibleName(64);

/** Far more than there are codes. */
const MAX_GRANTS = 200;

const permissions = Type.Array(Type.String({ format: permissionGrantFormat }), {
  maxItems: MAX_GRANTS,
  uniqueItems: true,
});

const newRole = Type.Object({ name, permissions }, { title: 'NewRole', additionalProperties: false });
const changedRole = Type.Object(
  {
    name: Type.Optional(name),
    permissions: Type.Optional(permissions),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { title: 'ChangedRole', additionalProperties: false },
);

const WRITE = { resource: 'role', changes: 'in-handler' } as const;

/** The properties whose old and new values the audit log records. */
const RECORDED = ['name', 'permissions', 'version'] as const;

/** `GET` and `POST /admin/roles`; `GET`, `PUT` and `DELETE /admin/roles/:id` (USR-1). */
export async function roleRoutes(app: App, { database, changes, access }: RoleDependencies): Promise<void> {
  const roles = createRoles(database, access);
  app.get(
    '/admin/roles',
    {
      config: { access: 'admin', permission: 'api:admin:roles:list', audit: 'role' },
      schema: { querystring: Type.Object(pageQuery, { additionalProperties: false }), response: { 200: listOf(role) } },
    },
    async function listRoles({ query }) {
      const { items, total } = await roles.list(query);
      return { data: items.map(show), page: { number: query.page, size: query.size, total } };
    },
  );

  app.post(
    '/admin/roles',
    {
      config: { access: 'admin', permission: 'api:admin:roles:create', stepUp: true, audit: WRITE, ...exactlyOnce },
      schema: { body: newRole, response: { 201: oneOf(role) } },
    },
    async function createRole(request, reply) {
      const created = await changes.change({ request }, async (transaction, record) => {
        const created = await roles.create(transaction, request.principal!.subject, request.body);
        record({ target: created.id });
        return created;
      });
      return reply.code(201).send({ data: show(created) });
    },
  );

  app.get(
    '/admin/roles/:id',
    {
      config: { access: 'admin', permission: 'api:admin:roles:read', audit: 'role' },
      schema: { params: idParams, response: { 200: oneOf(role) } },
    },
    async function readRole({ params }) {
      return { data: show(await roles.read(readId(params))) };
    },
  );

  app.put(
    '/admin/roles/:id',
    {
      config: { access: 'admin', permission: 'api:admin:roles:update', stepUp: true, ends: true, audit: WRITE },
      schema: { params: idParams, body: changedRole, response: { 200: oneOf(role) } },
    },
    async function updateRole(request) {
      const { principal, params, body } = request;
      const { after } = await changes.change({ request }, async (transaction, record) => {
        const change = await roles.update(transaction, principal!.subject, readId(params), body);
        record(detailOfChange(change, RECORDED));
        return change;
      });
      return { data: show(after) };
    },
  );

  app.delete(
    '/admin/roles/:id',
    {
      config: { access: 'admin', permission: 'api:admin:roles:delete', ends: true, audit: WRITE },
      schema: { params: idParams, response: { 204: Type.Null() } },
    },
    async function deleteRole(request, reply) {
      const { principal, params } = request;
      await changes.change({ request }, async (transaction, record) => {
        const before = await roles.remove(transaction, principal!.subject, readId(params));
        record(detailOfChange({ before, after: null }, RECORDED));
      });
      return reply.code(204).send(null);
    },
  );
}

function show({ createdAt, updatedAt, ...role }: Role) {
  return { ...role, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() };
}
