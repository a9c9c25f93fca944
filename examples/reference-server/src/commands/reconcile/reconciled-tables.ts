import type { Json } from '@sallyport/audit-log';
import { systemParameters } from '@sallyport/system-parameters/postgres';
import { eq, sql } from 'drizzle-orm';
import { administratorRolesTable, administratorsTable, normalizeUsername } from '../../modules/administrators/index.js';
import { appUsersTable } from '../../modules/app-users/index.js';
import { storedFilesTable } from '../../modules/files/index.js';
import { paymentsTable } from '../../modules/payments/index.js';
import { normalizeRoleName, rolesTable } from '../../modules/roles/index.js';
import {
  byActor,
  byDetail,
  byTarget,
  type ReconciledAction,
  type ReconciledTable,
  type RecordContent,
  type RowValues,
} from './reconciled-table.js';

/** The new values of a changed resource, under the names of its columns. */
const changed: ReconciledAction = {
  effect: 'changes',
  key: byTarget,
  values: ({ detail: { newValue } }) => membersOf(newValue),
};
const deleted: ReconciledAction = { effect: 'deletes', key: byTarget };

/** Only the hash of the password, which no record has. The row must exist. */
const passwordReset: ReconciledAction = { effect: 'changes', key: byTarget };

const ownProfile = (audience: 'admin' | 'app'): ReconciledAction => ({
  effect: 'changes',
  key: byActor(audience),
  values: ({ body: { displayName } }) => ({ displayName }),
});
const ownPassword = (audience: 'admin' | 'app'): ReconciledAction => ({ effect: 'changes', key: byActor(audience) });

const { administratorId, roleId } = administratorRolesTable;

/** Every audited table of the server. A test compares them with the tables of the schema. */
export const reconciledTables: readonly ReconciledTable[] = [
  {
    table: paymentsTable,
    key: paymentsTable.id,
    madeAt: paymentsTable.createdAt,
    values: { payee: paymentsTable.payee, amount: paymentsTable.amount, createdBy: paymentsTable.createdBy },
    actions: {
      'payment.create': {
        effect: 'makes',
        key: byTarget,
        values: ({ actor, body: { payee, amount } }) => ({
          payee,
          amount: Number(amount),
          createdBy: subjectOf(actor),
        }),
      },
    },
  },
  {
    table: administratorsTable,
    key: administratorsTable.id,
    madeAt: administratorsTable.createdAt,
    values: {
      username: administratorsTable.username,
      displayName: administratorsTable.displayName,
      disabled: administratorsTable.disabled,
      roleIds: sql`array(
        select ${roleId} from ${administratorRolesTable} where ${administratorId} = ${administratorsTable.id} order by 1
      )`,
    },
    actions: {
      // By a request, or by the start or a command.
      'administrator.create': {
        effect: 'makes',
        key: byTarget,
        values: ({ body, detail }) => newAdministrator({ ...body, ...detail }),
      },
      'administrator.register': {
        effect: 'makes',
        key: byDetail('id'),
        values: ({ body }) => newAdministrator(body),
      },
      'administrator.update': changed,
      'administrator.delete': deleted,
      'profile.update': ownProfile('admin'),
      'password.reset': passwordReset,
      'password.change': ownPassword('admin'),
    },
  },
  {
    table: rolesTable,
    key: rolesTable.id,
    madeAt: rolesTable.createdAt,
    values: { name: rolesTable.name, permissions: rolesTable.permissions },
    actions: {
      'role.create': {
        effect: 'makes',
        key: byTarget,
        values: ({ body: { name, permissions } }) => ({ name: normalizeRoleName(String(name)), permissions }),
      },
      // The first account with every permission comes with its role.
      'administrator.create': {
        effect: 'makes',
        key: byDetail('addedRole', 'id'),
        values: ({ detail: { addedRole } }) => membersOf(addedRole),
      },
      'role.update': changed,
      'role.delete': deleted,
    },
  },
  {
    table: appUsersTable,
    key: appUsersTable.id,
    madeAt: appUsersTable.createdAt,
    values: { displayName: appUsersTable.displayName, disabled: appUsersTable.disabled },
    actions: {
      'app-user.create': {
        effect: 'makes',
        key: byDetail('id'),
        values: () => ({ displayName: '', disabled: false }),
      },
      'app-user.update': changed,
      'profile.update': ownProfile('app'),
      'password.change': ownPassword('app'),
    },
  },
  {
    table: storedFilesTable,
    key: storedFilesTable.id,
    madeAt: storedFilesTable.createdAt,
    // Nodes of earlier releases leave rows in other states, which no client sees.
    where: eq(storedFilesTable.state, 'stored'),
    values: {
      displayName: storedFilesTable.displayName,
      size: storedFilesTable.size,
      sha256: storedFilesTable.sha256,
      publicPreview: storedFilesTable.publicPreview,
      createdBy: storedFilesTable.createdBy,
    },
    actions: {
      'file.upload': {
        effect: 'makes',
        key: byTarget,
        values: ({ actor, detail: { fileName: displayName, size, sha256, publicPreview } }) => ({
          ...{ displayName, size, sha256, publicPreview },
          createdBy: subjectOf(actor),
        }),
      },
      'file.delete': deleted,
    },
  },
  {
    table: systemParameters,
    key: systemParameters.key,
    madeAt: systemParameters.updatedAt,
    // The start declares each parameter with its default.
    seed: sql`${systemParameters.version} = 0 and ${systemParameters.value} = ${systemParameters.defaultValue}`,
    values: { value: systemParameters.value },
    actions: {
      'system-parameter.update': {
        effect: 'makes',
        key: byTarget,
        values: ({ detail: { newValue } }) => ({ value: newValue === undefined ? undefined : String(newValue) }),
      },
    },
  },
];

function newAdministrator({ username, displayName, disabled = false, roleIds = [] }: RecordContent['body']): RowValues {
  const ids = Array.isArray(roleIds) ? [...new Set(roleIds.map((id) => String(id).toLowerCase()))].sort() : roleIds;
  return { username: normalizeUsername(String(username)), displayName, disabled, roleIds: ids };
}

function subjectOf(actor: string | null): string | undefined {
  return actor?.slice(actor.indexOf(':') + 1);
}

function membersOf(value: Json | undefined): RowValues {
  return typeof value === 'object' && value !== null ? (value as RowValues) : {};
}
