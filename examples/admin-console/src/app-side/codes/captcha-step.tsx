import { Fieldset, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import type { CaptchaState } from '../../session/captcha.js';
import { texts } from './texts.js';

/** Loaded where the service asks for a captcha. */
const CaptchaField = lazy(() => import('../../session/captcha-field.js'));

/** The captcha of a form, once the service asks for it, and why it is there. */
export function CaptchaStep({ captcha, reason }: { readonly captcha: CaptchaState; readonly reason: string }) {
  const t = useTexts(texts);
  return (
    <>
      {captcha.captcha?.enabled === true && (
        <Fieldset legend={t.captcha} p="sm">
          <Stack gap="xs">
            <Text size="sm" role="status">
              {reason}
            </Text>
            <Suspense>
              <CaptchaField captcha={captcha} />
            </Suspense>
          </Stack>
        </Fieldset>
      )}
      <Refusal error={captcha.error} onRetry={captcha.renew} />
    </>
  );
}
