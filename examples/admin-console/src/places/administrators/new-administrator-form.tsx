import { Checkbox, TextInput } from '@mantine/core';
import { dataOf, RefusedError } from '@sallyport/api-client';
import { useState } from 'react';
import { DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useNewPassword } from '../../passwords/new-password.js';
import { NewPasswordFields } from '../../passwords/new-password-fields.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { ADMINISTRATORS_KEY } from './administrator-records.js';
import { RoleChoice } from './role-choice.js';
import { texts } from './texts.js';

interface NewAdministrator {
  readonly username: string;
  /** The digest. */
  readonly password: string;
  readonly displayName: string;
  readonly roleIds: string[];
  readonly confirm?: true;
}

const EMPTY = { username: '', displayName: '', roleIds: [] };

/** Creates an account. */
export function NewAdministratorForm({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
  const api = useApi();
  const password = useNewPassword();
  const [draft, setDraft] = useState<Omit<NewAdministrator, 'password'>>(EMPTY);
  const create = useWrite(
    async (body: NewAdministrator, header) =>
      dataOf(await api.POST('/admin/administrators', { params: { header }, body })),
    { changes: [ADMINISTRATORS_KEY] },
  );
  const { error, variables: sent } = create;
  const [confirmedName, setConfirmedName] = useState<string | null>(null);
  const looksAlike =
    error instanceof RefusedError && error.code === 'USERNAME_LOOKS_ALIKE' && draft.username === sent?.username;
  const faults = useFieldFaults(error, { username: t.username, displayName: t.displayName, password: t.password });

  function submit() {
    if (!password.isReady) return;
    const { username } = draft;
    create.mutate(
      { ...draft, password: password.digest, ...(username === confirmedName && { confirm: true as const }) },
      {
        onSuccess() {
          notifyDone(t.created(username));
          onClose();
        },
      },
    );
  }

  return (
    <DialogForm submit={t.create} isPending={create.isPending} onSubmit={submit} onCancel={onClose}>
      <TextInput
        label={t.username}
        description={t.usernameHint}
        required
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        data-autofocus
        value={draft.username}
        error={draft.username === sent?.username ? faults.username : undefined}
        onChange={({ currentTarget }) => setDraft({ ...draft, username: currentTarget.value })}
      />
      {(looksAlike || draft.username === confirmedName) && (
        <Checkbox
          label={t.confirmLookAlike}
          checked={draft.username === confirmedName}
          onChange={({ currentTarget }) => setConfirmedName(currentTarget.checked ? draft.username : null)}
        />
      )}
      <TextInput
        label={t.displayName}
        required
        maxLength={64}
        autoComplete="off"
        value={draft.displayName}
        error={draft.displayName === sent?.displayName ? faults.displayName : undefined}
        onChange={({ currentTarget }) => setDraft({ ...draft, displayName: currentTarget.value })}
      />
      <NewPasswordFields label={t.password} password={password} error={faults.password} />
      <RoleChoice chosen={draft.roleIds} onChoose={(roleIds) => setDraft({ ...draft, roleIds })} />
      <Refusal error={error} fields={['username', 'displayName', 'password']} />
    </DialogForm>
  );
}
