import { isIpAddress } from '@sallyport/plugin-kit/addresses';
import { anything, argumentCheck, nullable, option, optional } from '@sallyport/plugin-kit/options';
import type { OneTimeCodes } from './contract.js';

/** What a client writes is judged by the call, which refuses it with an error for the client. */
const written = anything();

const clientIp = option({ meaning: 'an IP address, such as request.ip', accepts: isIpAddress });
const purpose = option({ meaning: 'a text, such as login, or null', accepts: (value) => typeof value === 'string' });
/** The usual mistake is a captcha that was redeemed before: it would be used up where none is needed. */
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
const checkNeedsCaptcha = argumentCheck('oneTimeCodes.needsCaptcha', { clientIp });

/** The engine behind the checks of its arguments. */
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
