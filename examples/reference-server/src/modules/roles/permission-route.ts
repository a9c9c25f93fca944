import { Type } from 'typebox';
import { listOfAll } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import type { NamedPermissionGroup } from '../../http/permission-group.js';
import { textsSchema } from '../../http/texts-schema.js';

export interface PermissionRouteDependencies {
  /** The permissions of all modules. */
  readonly permissionGroups: readonly NamedPermissionGroup[];
}

const permissionGroup = Type.Object(
  {
    /** Unique, and stable. */
    name: Type.String(),
    title: textsSchema,
    permissions: Type.Array(Type.Object({ code: Type.String(), text: textsSchema }, { title: 'PermissionCode' })),
  },
  { title: 'PermissionGroup' },
);

/**
 * `GET /admin/permissions`: the permissions that a role can grant, for the forms of an admin page (API-4). The codes
 * are no secret: the API documentation shows them.
 */
export async function permissionRoute(app: App, { permissionGroups }: PermissionRouteDependencies): Promise<void> {
  const data = permissionGroups.map(({ name, title, permissions }) => ({
    name,
    title,
    permissions: Object.entries(permissions).map(([code, text]) => ({ code, text })),
  }));

  app.get(
    '/admin/permissions',
    {
      config: { access: 'admin', audit: 'permission' },
      schema: { response: { 200: listOfAll(permissionGroup) } },
    },
    async function listPermissions() {
      return { data };
    },
  );
}
