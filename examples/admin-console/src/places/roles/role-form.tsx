import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { dataOf, RefusedError } from '@sallyport/api-client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { VersionConflict } from '../../feedback/version-conflict.js';
import { useVersionedDraft } from '../../feedback/versioned-draft.js';
import { useTexts } from '../../language/language.js';
import { unheldOf } from '../../permissions/grants.js';
import { PermissionChooser } from '../../permissions/permission-chooser.js';
import { PermissionDifference } from '../../permissions/permission-difference.js';
import { ROLES_KEY, type Role, readAllRoles } from '../../permissions/roles.js';
import { UnheldGrants } from '../../permissions/unheld-grants.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { PROFILE_KEY, useMay, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

interface RoleContent {
  readonly name: string;
  readonly permissions: string[];
}

const FIELDS = ['name', 'permissions'] as const;

const NEW_ROLE = { content: { name: '', permissions: [] }, version: 0 };

function versionedOf({ name, permissions, version }: Role) {
  return { content: { name, permissions: permissions.toSorted() }, version };
}

export interface RoleFormProps {
  /** Null: a new one. */
  readonly role: Role | null;
  readonly isReadOnly: boolean;
  onClose(): void;
}

/** Creates, changes or shows a role. */
export function RoleForm({ role, isReadOnly, onClose }: RoleFormProps) {
  const t = useTexts(texts);
  const { grants } = useProfile();
  const queries = useQueryClient();
  const readAgain = useRoleReader();
  const versioned = useVersionedDraft<RoleContent>(role === null ? NEW_ROLE : versionedOf(role), FIELDS);
  const { draft, set, changes, version, rebase } = versioned;
  const [conflictError, setConflictError] = useState<Error | null>(null);
  const save = useRoleWrite(role);
  const faults = useFieldFaults(save.error, { name: t.name });
  const unheld = unheldOf(grants, draft.permissions);

  function submit() {
    setConflictError(null);
    const content = role === null ? draft : { ...changes, version };
    save.mutate(content, {
      onSuccess() {
        notifyDone(role === null ? t.created : t.saved);
        onClose();
      },
      onError(error) {
        if (!(error instanceof RefusedError)) return;
        // The user's rights may be others than the page knows.
        if (error.code === 'GRANT_NOT_HELD') void queries.invalidateQueries({ queryKey: PROFILE_KEY });
        if (error.code !== 'VERSION_CONFLICT' || role === null) return;
        readAgain(role.id).then((stored) => rebase(versionedOf(stored)), setConflictError);
      },
    });
  }

  const isConflict = save.error instanceof RefusedError && save.error.code === 'VERSION_CONFLICT';
  const refusal = conflictError ?? (isConflict && versioned.conflict !== null ? null : save.error);
  const content = (
    <>
      {isReadOnly && unheldOf(grants, role?.permissions ?? []).length > 0 && (
        <Alert variant="default">
          <Text size="sm">{t.notYours}</Text>
        </Alert>
      )}
      <VersionConflict
        versioned={versioned}
        fields={{
          name: { label: t.name, show: (name) => name },
          permissions: {
            label: t.permissions,
            show: (chosen, other) => <PermissionDifference grants={chosen} other={other} />,
          },
        }}
      />
      <TextInput
        label={t.name}
        required
        readOnly={isReadOnly}
        maxLength={64}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={draft.name === save.variables?.name ? faults.name : undefined}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <PermissionChooser
        chosen={draft.permissions}
        held={grants}
        isReadOnly={isReadOnly}
        onChoose={(permissions) => set({ permissions: [...permissions] })}
      />
      {!isReadOnly && <UnheldGrants grants={unheld} />}
      <Refusal error={refusal} fields={['name']} />
    </>
  );
  if (isReadOnly) return <Stack>{content}</Stack>;
  return (
    <DialogForm
      submit={role === null ? t.create : t.save}
      isPending={save.isPending}
      isDisabled={role !== null && Object.keys(changes).length === 0}
      onSubmit={submit}
      onCancel={onClose}
    >
      {content}
    </DialogForm>
  );
}

function useRoleWrite(role: Role | null) {
  const api = useApi();
  return useWrite(
    async (content: Partial<RoleContent> & { readonly version?: number }, header) => {
      if (role !== null) {
        return dataOf(await api.PUT('/admin/roles/{id}', { params: { path: { id: role.id } }, body: content }));
      }
      const { name = '', permissions = [] } = content;
      return dataOf(await api.POST('/admin/roles', { params: { header }, body: { name, permissions } }));
    },
    { changes: [ROLES_KEY, PROFILE_KEY] },
  );
}

/** Reads a role as it is now, by what the user may do. */
function useRoleReader(): (id: string) => Promise<Role> {
  const api = useApi();
  const may = useMay();
  return async (id) => {
    const params = { path: { id } };
    const found = may('api:admin:roles:read') ? undefined : (await readAllRoles(api)).find((role) => role.id === id);
    return found ?? dataOf(await api.GET('/admin/roles/{id}', { params })).data;
  };
}
