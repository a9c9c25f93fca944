import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { defineTexts, useTexts } from '../language/language.js';
import { PasswordField } from '../passwords/password-field.js';
import { useSend } from '../service/send.js';
import { useConnection, usePendingSignIn } from '../service/service.js';
import { type CaptchaSource, useCaptcha } from './captcha.js';
import { adminDevices } from './device-tokens.js';

const texts = defineTexts({
  en: { username: 'Username', password: 'Password', signIn: 'Sign in' },
  'zh-CN': { username: '用户名', password: '密码', signIn: '登录' },
});

/** Loaded where the service asks for a captcha. */
const CaptchaField = lazy(() => import('./captcha-field.js'));

/** Loaded where a sign-in needs it. */
const SecondStep = lazy(() => import('../second-step/second-step.js'));

const LOGIN_CAPTCHA: CaptchaSource = { audience: 'admin', purpose: 'login' };

/** Signs an administrator in. The password leaves the page as its SM3 digest. */
export function SignInForm({ username: known }: { readonly username?: string }) {
  const t = useTexts(texts);
  const connection = useConnection();
  const captcha = useCaptcha(LOGIN_CAPTCHA);
  const [username, setUsername] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const pending = usePendingSignIn();
  const nameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const wasPending = useRef(false);
  useEffect(() => {
    if (pending !== null) {
      wasPending.current = true;
      return;
    }
    // A dialog sets the focus itself, when it opens.
    if (known === undefined) nameInput.current?.focus();
    else if (wasPending.current) passwordInput.current?.focus();
  }, [pending, known]);
  const signIn = useSend({
    async mutationFn() {
      const answer = await captcha.answer();
      return connection.client.signIn({ username, password, ...answer, ...adminDevices.memberOf(username) });
    },
    onSuccess({ username: name, deviceToken, secondFactor }) {
      const keepDevice = (token: string) => adminDevices.keep(name, token);
      if (deviceToken !== undefined) keepDevice(deviceToken);
      if (secondFactor === undefined) return connection.noteSignIn();
      setPassword('');
      connection.notePending({ ...secondFactor, ...adminDevices.memberOf(name), keepDevice });
    },
    onError() {
      // An answer counts once, right or wrong.
      captcha.renew();
      // The button lost the focus while it waited, and the password is what to type again.
      passwordInput.current?.select();
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate();
  }

  if (pending !== null) {
    return (
      <Suspense>
        <SecondStep pending={pending} />
      </Suspense>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          ref={nameInput}
          label={t.username}
          name="username"
          autoComplete="username"
          data-autofocus={known === undefined || undefined}
          autoCapitalize="none"
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordField
          ref={passwordInput}
          label={t.password}
          name="password"
          autoComplete="current-password"
          data-autofocus={known !== undefined || undefined}
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {captcha.captcha?.enabled === true && (
          <Suspense>
            <CaptchaField captcha={captcha} />
          </Suspense>
        )}
        <Refusal error={captcha.error} onRetry={captcha.renew} />
        <Refusal error={signIn.error} />
        <Button type="submit" loading={signIn.isPending}>
          {t.signIn}
        </Button>
      </Stack>
    </form>
  );
}
