import { Switch, TextInput } from '@mantine/core';
import { dataOf, RefusedError } from '@sallyport/api-client';
import { useState } from 'react';
import { DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { VersionConflict } from '../../feedback/version-conflict.js';
import { useVersionedDraft } from '../../feedback/versioned-draft.js';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { PROFILE_KEY, useProfile } from '../../session/profile.js';
import { ADMINISTRATORS_KEY, type Administrator, useAdministratorReader, useRoles } from './administrator-records.js';
import { RoleChoice } from './role-choice.js';
import { RoleNames } from './role-names.js';
import { texts } from './texts.js';

interface AdministratorContent {
  readonly displayName: string;
  readonly roleIds: string[];
  readonly disabled: boolean;
}

const FIELDS = ['displayName', 'roleIds', 'disabled'] as const;

function versionedOf({ displayName, roleIds, disabled, version }: Administrator) {
  return { content: { displayName, roleIds: roleIds.toSorted(), disabled }, version };
}

export interface AdministratorFormProps {
  readonly administrator: Administrator;
  onClose(): void;
}

/** Changes an account. */
export function AdministratorForm({ administrator, onClose }: AdministratorFormProps) {
  const t = useTexts(texts);
  const roles = useRoles();
  const api = useApi();
  const profile = useProfile();
  const readAgain = useAdministratorReader();
  const { id, username } = administrator;
  const versioned = useVersionedDraft<AdministratorContent>(versionedOf(administrator), FIELDS);
  const { draft, set, changes, version, conflict, rebase } = versioned;
  const [readError, setReadError] = useState<Error | null>(null);
  const save = useWrite(
    async (content: Partial<AdministratorContent> & { readonly version: number }) =>
      dataOf(await api.PUT('/admin/administrators/{id}', { params: { path: { id } }, body: content })),
    { changes: [ADMINISTRATORS_KEY, PROFILE_KEY] },
  );
  const faults = useFieldFaults(save.error, { displayName: t.displayName });
  const isConflict = save.error instanceof RefusedError && save.error.code === 'VERSION_CONFLICT';
  const refusal = readError ?? (isConflict && conflict !== null ? null : save.error);

  function submit() {
    setReadError(null);
    save.mutate(
      { ...changes, version },
      {
        onSuccess() {
          notifyDone(t.saved(username));
          onClose();
        },
        onError(error) {
          if (!(error instanceof RefusedError) || error.code !== 'VERSION_CONFLICT') return;
          readAgain(administrator).then((stored) => rebase(versionedOf(stored)), setReadError);
        },
      },
    );
  }

  return (
    <DialogForm
      submit={t.save}
      isPending={save.isPending}
      isDisabled={Object.keys(changes).length === 0}
      onSubmit={submit}
      onCancel={onClose}
    >
      <VersionConflict
        versioned={versioned}
        fields={{
          displayName: { label: t.displayName, show: (name) => name },
          roleIds: { label: t.roles, show: (roleIds) => <RoleNames roleIds={roleIds} roles={roles} /> },
          disabled: { label: t.state, show: (disabled) => (disabled ? t.disabled : t.active) },
        }}
      />
      <TextInput
        label={t.displayName}
        required
        maxLength={64}
        autoComplete="off"
        data-autofocus
        value={draft.displayName}
        error={draft.displayName === save.variables?.displayName ? faults.displayName : undefined}
        onChange={({ currentTarget }) => set({ displayName: currentTarget.value })}
      />
      <RoleChoice chosen={draft.roleIds} onChoose={(roleIds) => set({ roleIds })} />
      {id !== profile.id && (
        <Switch
          label={t.disabled}
          description={t.disabledHint}
          checked={draft.disabled}
          onChange={({ currentTarget }) => set({ disabled: currentTarget.checked })}
        />
      )}
      <Refusal error={refusal} fields={['displayName']} />
    </DialogForm>
  );
}
