import { Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { DialogForm } from '../../feedback/dialog.js';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useNewPassword } from '../../passwords/new-password.js';
import { NewPasswordFields } from '../../passwords/new-password-fields.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import type { AdministratorFormProps } from './administrator-form.js';
import { ADMINISTRATORS_KEY } from './administrator-records.js';
import { texts } from './texts.js';

/** Gives another account a new password. */
export function ResetPasswordForm({ administrator: { id, username }, onClose }: AdministratorFormProps) {
  const t = useTexts(texts);
  const api = useApi();
  const password = useNewPassword();
  const reset = useWrite(
    async (digest: string) => {
      const params = { path: { id } };
      return dataOf(await api.PUT('/admin/administrators/{id}/password', { params, body: { password: digest } }));
    },
    { changes: [ADMINISTRATORS_KEY] },
  );
  const faults = useFieldFaults(reset.error, { password: t.newPassword });

  function submit() {
    if (!password.isReady) return;
    reset.mutate(password.digest, {
      onSuccess() {
        notifyDone(t.wasReset(username));
        onClose();
      },
    });
  }

  return (
    <DialogForm submit={t.resetPassword} isPending={reset.isPending} onSubmit={submit} onCancel={onClose}>
      <Text size="sm">{t.resetHint(username)}</Text>
      <NewPasswordFields label={t.newPassword} password={password} error={faults.password} />
      <Refusal error={reset.error} fields={['password']} />
    </DialogForm>
  );
}
