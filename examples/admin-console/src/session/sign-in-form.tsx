import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { defineTexts, useTexts } from '../language/language.js';
import { PasswordField } from '../passwords/password-field.js';
import { useConnection } from '../service/service.js';
import { type CaptchaSource, useCaptcha } from './captcha.js';

const texts = defineTexts({
  en: { username: 'Username', password: 'Password', signIn: 'Sign in' },
  'zh-CN': { username: '用户名', password: '密码', signIn: '登录' },
});

/** Loaded where the service asks for a captcha. */
const CaptchaField = lazy(() => import('./captcha-field.js'));

const LOGIN_CAPTCHA: CaptchaSource = { audience: 'admin', purpose: 'login' };

/** The token of this device: with it, a stranger's guesses do not lock its owner out. */
export const DEVICE_KEPT_AT = 'sallyport.device';

/** Signs an administrator in. The password leaves the page as its SM3 digest. */
export function SignInForm({ username: known }: { readonly username?: string }) {
  const t = useTexts(texts);
  const connection = useConnection();
  const captcha = useCaptcha(LOGIN_CAPTCHA);
  const [username, setUsername] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    async mutationFn() {
      const deviceToken = localStorage.getItem(DEVICE_KEPT_AT);
      const answer = await captcha.answer();
      const device = deviceToken === null ? {} : { deviceToken };
      return connection.client.signIn({ username, password, ...answer, ...device });
    },
    onSuccess(signedIn) {
      localStorage.setItem(DEVICE_KEPT_AT, signedIn.deviceToken);
      connection.noteSignIn();
    },
    // An answer counts once, right or wrong.
    onError: () => captcha.renew(),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
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
