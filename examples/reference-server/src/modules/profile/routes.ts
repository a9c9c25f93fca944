import { isGranted } from '@sallyport/auth-tokens';
import { Type } from 'typebox';
import { AccountGoneError } from '../../http/errors.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import type { NamedPermissionGroup } from '../../http/permission-group.js';
import type { Changes } from '../../storage/changes.js';
import type { Administrators } from '../administrators/index.js';

export interface ProfileDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'rename' | 'grantsOf'>;
  /** The permissions of all modules. */
  readonly permissionGroups: readonly NamedPermissionGroup[];
  readonly changes: Changes;
}

const profile = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    displayName: Type.String(),
    /** The permissions of the account: codes of `GET /admin/permissions`. */
    permissions: Type.Array(Type.String()),
    /**
     * The grants that the account may give to others. They are those of its roles, including families such as
     * `api:admin:*`.
     */
    grants: Type.Array(Type.String()),
  },
  { title: 'AdministratorProfile' },
);

const changedProfile = Type.Object({ displayName }, { title: 'ChangedProfile', additionalProperties: false });

/** `GET` and `PUT /admin/profile`: the administrator's own account. */
export async function profileRoutes(
  app: App,
  { administrators, changes, permissionGroups }: ProfileDependencies,
): Promise<void> {
  const permissions = permissionGroups.flatMap((group) => Object.keys(group.permissions));

  async function show(account: { id: string; username: string; displayName: string } | null) {
    if (account === null) throw new AccountGoneError();
    const { id, username, displayName } = account;
    const grants = [...(await administrators.grantsOf(id))];
    const held = permissions.filter((code) => isGranted(grants, code));
    return { data: { id, username, displayName, permissions: held, grants } };
  }

  app.get(
    '/admin/profile',
    { config: { access: 'admin', audit: 'profile' }, schema: { response: { 200: oneOf(profile) } } },
    async function readProfile(request) {
      return show(await administrators.findById(request.principal!.subject));
    },
  );

  app.put(
    '/admin/profile',
    {
      config: { access: 'admin', audit: { resource: 'profile', changes: 'in-handler' } },
      schema: { body: changedProfile, response: { 200: oneOf(profile) } },
    },
    async function changeProfile(request) {
      const { principal, body } = request;
      const { subject } = principal!;
      return show(
        await changes.change({ request }, async (transaction) => {
          const renamed = await administrators.rename(transaction, subject, body.displayName);
          if (renamed === null) throw new AccountGoneError();
          return renamed;
        }),
      );
    },
  );
}
