import { isGranted } from '@sallyport/auth-tokens';
import { counterKey } from '@sallyport/client-ip';
import type { TtlStore } from '@sallyport/ttl-store';
import { Type } from 'typebox';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { AccountGoneError } from '../../http/errors.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import type { NamedPermissionGroup } from '../../http/permission-group.js';
import { endAccess } from '../../protection/end-access.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import type { Administrators, AdministratorWithGrants } from '../administrators/index.js';
import { deviceToken } from '../login-policy/index.js';
import {
  checkNewPassword,
  countPasswordChange,
  type PasswordHashing,
  password,
  passwordChangeLimit,
  readPasswordLimits,
} from '../passwords/index.js';
import { changeOwnPassword } from './own-password.js';

export interface ProfileDependencies {
  readonly administrators: Pick<
    Administrators,
    'findById' | 'findWithGrants' | 'rename' | 'grantsOf' | 'knownHashes' | 'changePassword'
  >;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  /** The permissions of all modules. */
  readonly permissionGroups: readonly NamedPermissionGroup[];
  readonly changes: Changes;
  readonly stores: { readonly sessions: Pick<TtlStore, 'increment'> };
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

const passwordChange = Type.Object(
  {
    oldPassword: password,
    newPassword: password,
    deviceToken: Type.Optional(deviceToken),
  },
  { title: 'OwnPasswordChange', additionalProperties: false },
);

type ShownAccount = Omit<AdministratorWithGrants, 'passwordHash' | 'disabled'>;

/** Accounts share the grants of their roles, so few lists occur. More would be those of roles that are long gone. */
const MAX_GRANT_LISTS = 1000;

function memoizeByGrants(read: (grants: readonly string[]) => string[]): (grants: readonly string[]) => string[] {
  const known = new Map<string, string[]>();
  return (grants) => {
    const key = grants.join();
    let permissions = known.get(key);
    if (permissions === undefined) {
      if (known.size === MAX_GRANT_LISTS) known.clear();
      permissions = read(grants);
      known.set(key, permissions);
    }
    return permissions;
  };
}

/** `GET` and `PUT /admin/profile`: the administrator's own account. */
export async function profileRoutes(
  app: App,
  { administrators, changes, permissionGroups }: ProfileDependencies,
): Promise<void> {
  const permissions = permissionGroups.flatMap((group) => Object.keys(group.permissions));

  const permissionsOf = memoizeByGrants((grants) => permissions.filter((code) => isGranted(grants, code)));

  function show({ id, username, displayName, grants }: ShownAccount) {
    return { data: { id, username, displayName, permissions: permissionsOf(grants), grants: [...grants] } };
  }

  app.get(
    '/admin/profile',
    { config: { access: 'admin', audit: 'profile' }, schema: { response: { 200: oneOf(profile) } } },
    async function readProfile(request) {
      const account = await administrators.findWithGrants(request.principal!.subject);
      if (account === null) throw new AccountGoneError();
      return show(account);
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
      const account = await changes.change({ request }, async (transaction) => {
        const renamed = await administrators.rename(transaction, subject, body.displayName);
        if (renamed === null) throw new AccountGoneError();
        return renamed;
      });
      return show({ ...account, grants: await administrators.grantsOf(subject) });
    },
  );
}

/** `PUT /admin/profile/password` (USR-2): ends every session of the account, including this one. */
export async function ownPasswordRoute(
  app: App,
  { administrators, passwords, changes, stores }: ProfileDependencies,
): Promise<void> {
  app.put(
    '/admin/profile/password',
    {
      config: {
        access: 'admin',
        ends: true,
        beforePasswordChange: 'served',
        audit: { action: 'password.change' },
        rateLimit: passwordChangeLimit,
      },
      schema: { body: passwordChange, response: { 204: Type.Null() } },
      preValidation: ignoreEmptyMembers(passwordChange),
    },
    async function changePassword(request, reply) {
      await countPasswordChange(stores.sessions, request);
      // Every session that a sign-in opens has a terminal.
      const { subject, terminal = '' } = request.principal!;
      const { clientIp } = request;
      const { oldPassword, newPassword, deviceToken } = request.body;
      function attempt(username: string, verify: () => Promise<boolean>) {
        const subject = { username, terminal, clientIp, deviceToken, request };
        return app.loginPolicy.attempt(subject, verify);
      }
      const runChange = runChangeOf(changes, request);
      const endSessions = (username: string) =>
        endAccess(app, request, { audience: 'admin', subject, username }, 'PASSWORD_CHANGED');
      const checkNew = (chosen: string, owner: { readonly username: string }) => checkNewPassword(app, chosen, owner);
      const { adminHistoryCount: historyCount } = await readPasswordLimits(app);
      await changeOwnPassword(
        { administrators, passwords, attempt, checkNew, historyCount, runChange, endSessions },
        { id: subject, oldPassword, newPassword, client: counterKey(clientIp) },
      );
      return reply.code(204).send(null);
    },
  );
}
