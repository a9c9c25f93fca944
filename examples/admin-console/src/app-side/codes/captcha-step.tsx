import { lazy, Suspense } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import type { CaptchaState } from '../../session/captcha.js';

/** Loaded where the service asks for a captcha. */
const CaptchaFieldset = lazy(() => import('./captcha-fieldset.js'));

/** The captcha of a form, once the service asks for it, and why it is there. */
export function CaptchaStep({ captcha, reason }: { readonly captcha: CaptchaState; readonly reason: string }) {
  return (
    <>
      {captcha.captcha?.enabled === true && (
        <Suspense>
          <CaptchaFieldset captcha={captcha} reason={reason} />
        </Suspense>
      )}
      <Refusal error={captcha.error} onRetry={captcha.renew} />
    </>
  );
}
