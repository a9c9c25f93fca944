import { dataOf, RefusedError } from '@sallyport/api-client';
import { useSend } from '../../service/send.js';
import { useApi } from '../../service/service.js';
import { type CaptchaSource, type CaptchaState, useCaptcha } from '../../session/captcha.js';
import { type CodePurpose, type SentCode, useVisit } from '../visit/visit.js';
import { useSecondsUntil } from './countdown.js';

/** A code by text message, and how to ask for it. */
export interface CodeState {
  /** Null: none was asked for in this tab, with this number. */
  readonly sent: SentCode | null;
  /** Until the next may be asked for. */
  readonly secondsLeft: number;
  readonly captcha: CaptchaState;
  readonly isPending: boolean;
  /** Null also while a captcha is all that the service asks for. */
  readonly error: Error | null;
  ask(): void;
}

const SMS_CAPTCHA: CaptchaSource = { audience: 'app', purpose: 'sms' };

/** Whether the service asks for a captcha that the request did not have. */
export function asksForCaptcha(error: Error | null): boolean {
  return error instanceof RefusedError && error.code === 'CAPTCHA_REQUIRED';
}

/** Refusals of a new password, which is judged before the captcha is looked at. */
const PASSWORD_REFUSALS: readonly string[] = ['PASSWORD_COMMON', 'PASSWORD_NOT_HASHED'];

/** A request without an answer is repeated as it was. */
function usesUp(error: Error | null): boolean {
  return error === null || (error instanceof RefusedError && !PASSWORD_REFUSALS.includes(error.code));
}

/** After a failure: shows a captcha if the service asks for one, and another one if the last was used. */
export function answerCaptchaAgain(captcha: CaptchaState, error: Error | null): void {
  if (asksForCaptcha(error)) captcha.demand();
  else if (captcha.captcha?.enabled === true && usesUp(error)) captcha.renew();
}

/** The member of a request that belongs to its code. */
export function handleMember(sent: SentCode | null): { readonly handle?: string } {
  return sent === null ? {} : { handle: sent.handle };
}

/** Asks for codes. They are bound to the purpose, which their message names. */
export function useCode(purpose: CodePurpose, mobile: string): CodeState {
  const api = useApi();
  const visit = useVisit();
  const captcha = useCaptcha(SMS_CAPTCHA);
  const sent = visit.sentCode(mobile, purpose);
  const ask = useSend({
    async mutationFn() {
      const answer = await captcha.answer();
      const body = { mobile, for: purpose, ...answer };
      return dataOf(await api.POST('/app/auth/sendSmsCode', { body })).data;
    },
    onSuccess({ resendSeconds, ...code }) {
      visit.noteSent(purpose, { ...code, mobile, resendAt: Date.now() + resendSeconds * 1000 });
      answerCaptchaAgain(captcha, null);
    },
    onError: (error) => answerCaptchaAgain(captcha, error),
  });
  const refusedSeconds = ask.error instanceof RefusedError ? (ask.error.problem.retryAfterSeconds ?? 0) : 0;
  const refusedUntil = refusedSeconds === 0 ? 0 : ask.submittedAt + refusedSeconds * 1000;
  return {
    sent,
    secondsLeft: useSecondsUntil(Math.max(sent?.resendAt ?? 0, refusedUntil)),
    captcha,
    isPending: ask.isPending,
    error: asksForCaptcha(ask.error) ? null : ask.error,
    ask: () => ask.mutate(),
  };
}
