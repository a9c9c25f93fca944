import { Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { PasswordField } from '../../passwords/password-field.js';
import type { SignInWayProps } from './code-sign-in.js';
import { texts } from './texts.js';
import { useSignIn } from './use-sign-in.js';

export default function PasswordSignIn({ mobile, children }: SignInWayProps) {
  const t = useTexts(texts);
  const [password, setPassword] = useState('');
  const signIn = useSignIn(async () => ({ mobile, password }));

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <PasswordField
          label={t.password}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          size="md"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Refusal error={signIn.error} />
        <Button type="submit" size="md" loading={signIn.isPending}>
          {t.signIn}
        </Button>
      </Stack>
    </form>
  );
}
