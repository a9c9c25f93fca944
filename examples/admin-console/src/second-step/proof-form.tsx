import { Button, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { dataOf, type FactorProof } from '@sallyport/api-client';
import { type FormEvent, useRef, useState } from 'react';
import { useTexts } from '../language/language.js';
import { PasswordField } from '../passwords/password-field.js';
import { useSend } from '../service/send.js';
import { useConnection } from '../service/service.js';
import { CodeField } from './code-field.js';
import { hasPasskeys, provePasskey } from './passkeys.js';
import { StepRefusal } from './step-refusal.js';
import { texts } from './texts.js';

type Kind = FactorProof['kind'];

const ORDER: readonly Kind[] = ['totp', 'passkey', 'recovery-code', 'password'];

export type Proven = Awaited<ReturnType<ReturnType<typeof useConnection>['client']['proveFactor']>>;

export interface ProofFormProps {
  /** The ways that the account has. */
  readonly kinds: readonly string[];
  readonly deviceToken?: string | undefined;
  onProven(proven: Proven): void;
}

/** Proves a factor, or the password without one. */
export function ProofForm({ kinds, deviceToken, onProven }: ProofFormProps) {
  const t = useTexts(texts);
  const { client } = useConnection();
  const ways = ORDER.filter((kind) => kinds.includes(kind));
  const [chosen, choose] = useState<Kind | null>(null);
  const way = chosen !== null && ways.includes(chosen) ? chosen : (ways[0] ?? 'totp');
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const prove = useSend({
    async mutationFn() {
      return client.proveFactor(await proof(), deviceToken === undefined ? {} : { deviceToken });
    },
    onSuccess: onProven,
    onError: () => input.current?.select(),
  });

  async function proof(): Promise<FactorProof> {
    if (way === 'password') return { kind: way, password: typed };
    if (way !== 'passkey') return { kind: way, code: typed.trim() };
    const options = dataOf(await client.api.POST('/auth/second-factor/options', { body: { kind: 'passkey' } })).data;
    return { kind: way, credential: await provePasskey(options) };
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    prove.mutate();
  }

  function change(value: string) {
    choose(value as Kind);
    setTyped('');
    prove.reset();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {ways.length > 1 && (
          <SegmentedControl
            aria-label={t.way}
            fullWidth
            // Three do not fit side by side on a phone.
            orientation={ways.length > 2 ? 'vertical' : 'horizontal'}
            value={way}
            onChange={change}
            data={ways.map((each) => ({ value: each, label: t.ways[each] }))}
          />
        )}
        {way === 'totp' && (
          <CodeField
            ref={input}
            key={way}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {way === 'recovery-code' && (
          <TextInput
            ref={input}
            key={way}
            label={t.recoveryCode}
            description={t.recoveryHint}
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            required
            withAsterisk={false}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {way === 'password' && (
          <PasswordField
            ref={input}
            label={t.password}
            autoComplete="current-password"
            data-autofocus
            required
            withAsterisk={false}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {way === 'passkey' && !hasPasskeys() && <Text size="sm">{t.noPasskeys}</Text>}
        <StepRefusal error={prove.error} />
        <Button type="submit" loading={prove.isPending} disabled={way === 'passkey' && !hasPasskeys()}>
          {way === 'passkey' ? t.usePasskey : t.confirm}
        </Button>
      </Stack>
    </form>
  );
}
