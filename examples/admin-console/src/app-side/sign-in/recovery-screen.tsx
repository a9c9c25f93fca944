import { Button, Stack } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { type FormEvent, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { type CaptchaSource, useCaptcha } from '../../session/captcha.js';
import { Page } from '../../shell/page.js';
import { CaptchaStep } from '../codes/captcha-step.js';
import { CodeInput } from '../codes/code-input.js';
import { CodeSteps } from '../codes/code-steps.js';
import { MobileInput } from '../codes/mobile-input.js';
import { answerCaptchaAgain, handleMember, useCode } from '../codes/use-code.js';
import { NewPasswordInput, useNewPassword } from '../passwords/new-password.js';
import { APP_PATH } from '../paths.js';
import { useVisit } from '../visit/visit.js';
import { recoveryTexts } from './recovery-texts.js';
import { ScreenLink } from './screen-link.js';

const RECOVERY_CAPTCHA: CaptchaSource = { audience: 'app', purpose: 'recover' };

/** Sets a new password with a code. The service asks for a captcha in any case. */
export default function RecoveryScreen() {
  const t = useTexts(recoveryTexts);
  const api = useApi();
  const { mobile, setMobile, setNotice } = useVisit();
  const code = useCode('recover', mobile);
  const captcha = useCaptcha(RECOVERY_CAPTCHA);
  const [smsCode, setSmsCode] = useState('');
  const password = useNewPassword();

  const content = {
    recovery: { mobile, smsCode, newPassword: password.digest, ...handleMember(code.sent) },
    // Another answer is other content, and needs another key.
    captcha: [captcha.captcha?.key, captcha.code],
  };
  const recover = useWrite(
    async ({ recovery }: typeof content, header) => {
      const body = { ...recovery, ...(await captcha.answer()) };
      return dataOf(await api.POST('/app/auth/recoverPassword', { params: { header }, body }));
    },
    {
      changes: [],
      onDone() {
        setNotice('recovered');
        navigate(APP_PATH, { replace: true });
      },
    },
  );

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!password.isAllowed()) return;
    recover.mutate(content, { onError: (error) => answerCaptchaAgain(captcha, error) });
  }

  return (
    <Page title={t.title} purpose={t.purpose}>
      <CodeSteps code={code} number={<MobileInput value={mobile} onChange={setMobile} />}>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <CodeInput sent={code.sent} value={smsCode} onChange={setSmsCode} />
            <NewPasswordInput password={password} />
            <CaptchaStep captcha={captcha} reason={t.captcha} />
            <Refusal error={recover.error} />
            <Button type="submit" size="md" loading={recover.isPending}>
              {t.setPassword}
            </Button>
          </Stack>
        </form>
      </CodeSteps>
      <ScreenLink path={APP_PATH}>{t.back}</ScreenLink>
    </Page>
  );
}
