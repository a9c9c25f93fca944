import { Button, SegmentedControl, Stack } from '@mantine/core';
import { dataOf, hashPassword } from '@sallyport/api-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { PasswordField } from '../../passwords/password-field.js';
import { useSend } from '../../service/send.js';
import { useApi, useConnection } from '../../service/service.js';
import { type CaptchaSource, useCaptcha } from '../../session/captcha.js';
import { CaptchaStep } from '../codes/captcha-step.js';
import { CodeInput } from '../codes/code-input.js';
import { CodeSteps } from '../codes/code-steps.js';
import { answerCaptchaAgain, asksForCaptcha, handleMember, useCode } from '../codes/use-code.js';
import { NewPasswordInput, useNewPassword } from '../passwords/new-password.js';
import { appDevices } from '../visit/device.js';
import { useVisit } from '../visit/visit.js';
import { useAccount } from './account.js';
import { texts } from './texts.js';

/** Sets or changes the password. A session is not enough for it: the old password or a code is needed, too. */
export function PasswordForm() {
  const t = useTexts(texts);
  const { hasPassword } = useAccount();
  const [isByCode, setIsByCode] = useState(!hasPassword);
  const password = useNewPassword();
  return (
    <Stack gap="sm">
      {hasPassword && (
        <SegmentedControl
          aria-label={t.proof}
          fullWidth
          value={isByCode ? 'code' : 'password'}
          onChange={(value) => setIsByCode(value === 'code')}
          data={[
            { value: 'password', label: t.byOldPassword },
            { value: 'code', label: t.byCode },
          ]}
        />
      )}
      {isByCode ? <ByCode password={password} /> : <ByOldPassword password={password} />}
    </Stack>
  );
}

type NewPassword = ReturnType<typeof useNewPassword>;
type Proof = { readonly oldPassword: string } | { readonly smsCode: string; readonly handle?: string };

/** The change has ended all sessions. */
function useChange(prove: () => Promise<Proof>, password: NewPassword, onError?: (error: Error) => void) {
  const api = useApi();
  const connection = useConnection();
  const { mobile } = useAccount();
  const { setMobile, setNotice } = useVisit();
  return useSend({
    async mutationFn() {
      const body = { newPassword: password.digest, ...(await prove()), ...appDevices.memberOf(mobile) };
      return dataOf(await api.PUT('/app/profile/password', { body }));
    },
    onSuccess() {
      setMobile(mobile);
      setNotice('password-changed');
      connection.noteEnd();
    },
    onError: (error) => onError?.(error),
  });
}

function ByOldPassword({ password }: { readonly password: NewPassword }) {
  const t = useTexts(texts);
  const [oldPassword, setOldPassword] = useState('');
  const change = useChange(async () => ({ oldPassword: hashPassword(oldPassword) }), password);
  return (
    <ChangeForm password={password} change={change}>
      <PasswordField
        label={t.oldPassword}
        name="oldPassword"
        autoComplete="current-password"
        required
        withAsterisk={false}
        size="md"
        value={oldPassword}
        onChange={({ currentTarget }) => setOldPassword(currentTarget.value)}
      />
    </ChangeForm>
  );
}

const CODE_CAPTCHA: CaptchaSource = { audience: 'app', purpose: 'login' };

function ByCode({ password }: { readonly password: NewPassword }) {
  const t = useTexts(texts);
  const { mobile } = useAccount();
  const code = useCode('recover', mobile);
  const captcha = useCaptcha(CODE_CAPTCHA, { isOnDemand: true });
  const [smsCode, setSmsCode] = useState('');
  const change = useChange(
    async () => ({ smsCode, ...handleMember(code.sent), ...(await captcha.answer()) }),
    password,
    (error) => answerCaptchaAgain(captcha, error),
  );
  return (
    <CodeSteps code={code}>
      <ChangeForm password={password} change={change}>
        <CodeInput sent={code.sent} value={smsCode} onChange={setSmsCode} />
        <CaptchaStep captcha={captcha} reason={t.captchaReason} />
      </ChangeForm>
    </CodeSteps>
  );
}

interface ChangeFormProps {
  readonly password: NewPassword;
  readonly change: ReturnType<typeof useChange>;
  /** What shows that it is the owner. */
  readonly children: ReactNode;
}

function ChangeForm({ password, change, children }: ChangeFormProps) {
  const t = useTexts(texts);
  const { hasPassword } = useAccount();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (password.isAllowed()) change.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <NewPasswordInput password={password} />
        <Refusal error={asksForCaptcha(change.error) ? null : change.error} />
        <Button type="submit" size="md" loading={change.isPending}>
          {hasPassword ? t.changePassword : t.setPassword}
        </Button>
      </Stack>
    </form>
  );
}
