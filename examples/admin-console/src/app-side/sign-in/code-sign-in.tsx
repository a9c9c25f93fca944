import { Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { type CaptchaSource, useCaptcha } from '../../session/captcha.js';
import { CaptchaStep } from '../codes/captcha-step.js';
import { CodeInput } from '../codes/code-input.js';
import { CodeSteps } from '../codes/code-steps.js';
import { answerCaptchaAgain, asksForCaptcha, handleMember, useCode } from '../codes/use-code.js';
import { texts } from './texts.js';
import { useSignIn } from './use-sign-in.js';

const LOGIN_CAPTCHA: CaptchaSource = { audience: 'app', purpose: 'login' };

export interface SignInWayProps {
  readonly mobile: string;
  /** The field of the number. */
  readonly children: ReactNode;
}

/** Asks for a code, and signs in with it. */
export function CodeSignIn({ mobile, children }: SignInWayProps) {
  const t = useTexts(texts);
  const code = useCode('login', mobile);
  // After many wrong codes.
  const captcha = useCaptcha(LOGIN_CAPTCHA, { isOnDemand: true });
  const [smsCode, setSmsCode] = useState('');
  const signIn = useSignIn(
    async () => ({ mobile, smsCode, ...handleMember(code.sent), ...(await captcha.answer()) }),
    (error) => answerCaptchaAgain(captcha, error),
  );

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate();
  }

  return (
    <CodeSteps code={code} number={children}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <CodeInput sent={code.sent} value={smsCode} onChange={setSmsCode} />
          <CaptchaStep captcha={captcha} reason={t.captchaReason} />
          <Refusal error={asksForCaptcha(signIn.error) ? null : signIn.error} />
          <Button type="submit" size="md" loading={signIn.isPending}>
            {t.signIn}
          </Button>
        </Stack>
      </form>
    </CodeSteps>
  );
}
