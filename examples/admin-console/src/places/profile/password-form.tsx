import { Button, Group, Stack, Text } from '@mantine/core';
import { dataOf, hashPassword, RefusedError } from '@sallyport/api-client';
import { type FormEvent, useState } from 'react';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useNewPassword } from '../../passwords/new-password.js';
import { NewPasswordFields } from '../../passwords/new-password-fields.js';
import { PasswordField } from '../../passwords/password-field.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { adminDevices } from '../../session/device-tokens.js';
import { PROFILE_KEY } from '../../session/profile.js';
import { texts } from './texts.js';

interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
  readonly deviceToken?: string;
}

interface PasswordFormProps {
  /** Null: not known. */
  readonly username: string | null;
  /** Called after the change. Default: a notice. */
  readonly onDone?: () => void;
}

/** Changes the own password. All sessions of the account end, so the sign-in opens over the page. */
export function PasswordForm({ username, onDone }: PasswordFormProps) {
  const t = useTexts(texts);
  const api = useApi();
  const [oldPassword, setOldPassword] = useState('');
  const password = useNewPassword();
  const { typed, isReady, digest, setTyped, setRepeated } = password;
  const change = useWrite(
    async (body: PasswordChange) => dataOf(await api.PUT('/admin/profile/password', { body })),
    // The next request learns that the session has ended.
    { changes: [PROFILE_KEY], onDone: onDone ?? (() => notifyDone(t.changed)) },
  );
  const { error } = change;
  const sentOld = change.variables?.oldPassword;
  const isOldWrong = error instanceof RefusedError && error.code === 'OLD_PASSWORD_WRONG';
  const isSame = typed !== '' && typed === oldPassword;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isReady || isSame) return;
    // With the token of this device, guesses of strangers do not keep the owner from the change.
    const device = username === null ? {} : adminDevices.memberOf(username);
    change.mutate(
      { oldPassword: hashPassword(oldPassword), newPassword: digest, ...device },
      {
        onSuccess() {
          setOldPassword('');
          setTyped('');
          setRepeated('');
        },
      },
    );
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{t.consequence}</Text>
        {/* Password managers keep the new password with this name. */}
        {username !== null && <input type="hidden" name="username" autoComplete="username" value={username} />}
        <PasswordField
          label={t.oldPassword}
          autoComplete="current-password"
          required
          value={oldPassword}
          error={isOldWrong && sentOld === hashPassword(oldPassword) ? error.problem.detail : undefined}
          onChange={({ currentTarget }) => setOldPassword(currentTarget.value)}
        />
        <NewPasswordFields label={t.newPassword} password={password} error={isSame ? t.same : undefined} />
        <Refusal error={error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t.changePassword}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
