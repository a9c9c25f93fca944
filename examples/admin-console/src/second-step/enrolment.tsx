import { Button, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { dataOf, RefusedError } from '@sallyport/api-client';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { CopyableText } from '../feedback/copyable-text.js';
import { useTexts } from '../language/language.js';
import { useSend } from '../service/send.js';
import { useApi } from '../service/service.js';
import { CodeField } from './code-field.js';
import { hasPasskeys, makePasskey } from './passkeys.js';
import { StepRefusal } from './step-refusal.js';
import { texts } from './texts.js';

const QrCode = lazy(() => import('./qr-code.js'));

/** Of a sign-in that the enrolment has completed. */
export interface CompletedSignIn {
  readonly token: string;
  readonly deviceToken?: string;
}

export interface EnrolmentProps {
  /** Undefined: the session was a full one before. */
  onEnrolled(signIn: CompletedSignIn | undefined): void;
}

type Kind = 'totp' | 'passkey';

interface Begun {
  readonly id: string;
  readonly secret: string;
  readonly uri: string;
}

/** Sets up an authenticator app or a passkey. The code of an administrator is asked for where the service wants it. */
export function Enrolment({ onEnrolled }: EnrolmentProps) {
  const t = useTexts(texts);
  const api = useApi();
  const [kind, setKind] = useState<Kind>('totp');
  const [name, setName] = useState('');
  const [enrolmentCode, setEnrolmentCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [begun, setBegun] = useState<Begun | null>(null);
  const [code, setCode] = useState('');
  const codeInput = useRef<HTMLInputElement>(null);
  const permitInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The button that was pressed is gone, or the field is new.
    if (begun !== null) codeInput.current?.focus();
    else if (needsCode) permitInput.current?.focus();
  }, [begun, needsCode]);
  const permitted = enrolmentCode.trim() === '' ? {} : { enrolmentCode: enrolmentCode.trim() };
  const named = name.trim() === '' ? {} : { name: name.trim() };

  const send = useSend({
    async mutationFn(): Promise<unknown> {
      if (kind === 'passkey') {
        const asked = await api.POST('/auth/second-factors/passkeys/options', { body: permitted });
        const credential = await makePasskey(dataOf(asked).data);
        const body = { ...named, ...permitted, credential: credential as Record<string, never> };
        return finish(dataOf(await api.POST('/auth/second-factors/passkeys', { body })).data.signIn);
      }
      if (begun === null) {
        return setBegun(dataOf(await api.POST('/auth/second-factors/totp', { body: { ...named, ...permitted } })).data);
      }
      const params = { path: { id: begun.id } };
      const body = { code: code.trim(), ...permitted };
      return finish(dataOf(await api.POST('/auth/second-factors/totp/{id}/confirm', { params, body })).data.signIn);
    },
    onError(error) {
      if (error instanceof RefusedError && error.code === 'ENROLMENT_CODE_REQUIRED') setNeedsCode(true);
    },
  });

  const finish = (signIn: object | undefined) => onEnrolled(signIn as CompletedSignIn | undefined);

  function submit(event: FormEvent) {
    event.preventDefault();
    send.mutate();
  }

  const isMissing = kind === 'passkey' && !hasPasskeys();
  return (
    <form onSubmit={submit}>
      <Stack>
        {begun === null && (
          <>
            <SegmentedControl
              aria-label={t.kind}
              value={kind}
              onChange={(value) => setKind(value as Kind)}
              data={[
                { value: 'totp', label: t.ways.totp },
                { value: 'passkey', label: t.ways.passkey },
              ]}
            />
            {kind === 'passkey' && <Text size="sm">{isMissing ? t.noPasskeys : t.passkeyPurpose}</Text>}
            <TextInput
              label={t.name}
              description={t.nameHint}
              data-autofocus
              maxLength={100}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            {needsCode && (
              <TextInput
                ref={permitInput}
                label={t.enrolmentCode}
                description={t.enrolmentCodeHint}
                autoComplete="off"
                spellCheck={false}
                required
                withAsterisk={false}
                value={enrolmentCode}
                onChange={({ currentTarget }) => setEnrolmentCode(currentTarget.value)}
              />
            )}
          </>
        )}
        {begun !== null && (
          <>
            <Text size="sm">{t.scan}</Text>
            <Suspense>
              <QrCode text={begun.uri} label={t.qr} />
            </Suspense>
            <CopyableText label={t.secret} value={begun.secret} />
            <CodeField ref={codeInput} value={code} onChange={({ currentTarget }) => setCode(currentTarget.value)} />
          </>
        )}
        <StepRefusal error={send.error} />
        <Button type="submit" loading={send.isPending} disabled={isMissing}>
          {kind === 'passkey' ? t.make : begun === null ? t.begin : t.finish}
        </Button>
      </Stack>
    </form>
  );
}
