import { isIpAddress } from '@sallyport/plugin-kit/addresses';
import { anything, argumentCheck, nullable, option, optional } from '@sallyport/plugin-kit/options';
import type { OneTimeCodes } from './contract.js';
import { CodeRecipientRefusedError } from './errors.js';

const MAX_RECIPIENT_LENGTH = 256;
const MAX_CODE_LENGTH = 64;

/** A lone surrogate. With the flag `u`, whole pairs do not match. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The call itself checks the values that a client writes, and refuses them with an error for the client. */
const written = anything();

const clientIp = option({ meaning: 'an IP address, such as request.ip', accepts: isIpAddress });
const purpose = option({ meaning: 'a text, such as login, or null', accepts: (value) => typeof value === 'string' });
/** A usual mistake is to redeem the captcha before. It would then be used up even if none is needed. */
const hasCaptcha = option({
  meaning: 'a function',
  faults: (value: unknown, name) =>
    typeof value === 'function' ? [] : [`${name} must be a function, such as () => captchas.redeem(answer)`],
});
const client = {
  recipient: written,
  clientIp,
  purpose: nullable(purpose),
  hasCaptcha: optional(hasCaptcha),
};
const typed = { ...client, code: written, handle: written };

const checkSend = argumentCheck('oneTimeCodes.send', { ...client, context: written });
const checkCheck = argumentCheck('oneTimeCodes.check', typed);
const checkRedeem = argumentCheck('oneTimeCodes.redeem', typed);
const checkNeedsCaptcha = argumentCheck('oneTimeCodes.needsCaptcha', { clientIp, recipient: optional(written) });

/** Wraps the engine in the checks of its arguments. */
export function withCheckedArguments<Context>(engine: OneTimeCodes<Context>): OneTimeCodes<Context> {
  return {
    ...engine,
    async send(request) {
      checkSend(request);
      return engine.send(request);
    },
    async check(check) {
      checkCheck(check);
      return engine.check(check);
    },
    async redeem(check) {
      checkRedeem(check);
      return engine.redeem(check);
    },
    async needsCaptcha(request) {
      checkNeedsCaptcha(request);
      return engine.needsCaptcha(request);
    },
  };
}

/** The given recipient. If it can't be a recipient, it is refused with an error for the client. */
export function assertRecipient(recipient: string): string {
  const isRight = typeof recipient === 'string' && recipient.length > 0 && recipient.length <= MAX_RECIPIENT_LENGTH;
  // Ill-formed texts would share a hash, because UTF-8 has one replacement for all of them.
  if (!isRight || recipient.includes('\0') || LONE_SURROGATE.test(recipient)) {
    throw new CodeRecipientRefusedError();
  }
  return recipient;
}

/** The value that a client sent, if it is a text. A route without a schema may pass on anything. */
export function textOf(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

/** Full-width digits become digits. */
export function normalizeCode(code: unknown): string {
  return textOf(code).slice(0, MAX_CODE_LENGTH).normalize('NFKC').trim();
}
