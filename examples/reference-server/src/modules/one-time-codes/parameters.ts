import type { OneTimeCodePolicy } from '@sallyport/one-time-codes';
import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** One day, in seconds: far longer than a user waits for a text message. */
const MAX_WAIT_SECONDS = 86_400;

const group = { name: 'one-time-codes', texts: { en: 'Codes by text message', 'zh-CN': '短信验证码' } } as const;

/** APP-5, OTC-1 to OTC-3. The defaults are those of the package, whose README derives them. */
export const smsParameters = {
  codeLength: {
    key: 'app.auth.sms.code-length',
    type: 'INTEGER',
    default: 6,
    minimum: 4,
    maximum: 10,
    unit: 'digits',
    isPublic: false,
    description: 'Length of a code that is sent by text message',
    translations: { 'zh-CN': '短信验证码的长度' },
    group,
  },
  validSeconds: {
    key: 'app.auth.sms.valid-seconds',
    type: 'LONG',
    default: 300,
    minimum: 1,
    maximum: 3600,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a code that was sent by text message is valid',
    translations: { 'zh-CN': '短信验证码的有效时间' },
    group,
  },
  longCodeLength: {
    key: 'app.auth.sms.long-code-length',
    type: 'INTEGER',
    default: 12,
    minimum: 10,
    maximum: 16,
    unit: 'digits',
    isPublic: false,
    description:
      'Length of the long codes, which replace ordinary ones while somebody guesses codes; must be more than the ordinary length',
    translations: { 'zh-CN': '长验证码的长度；有人猜测验证码期间以长验证码代替普通验证码，须大于普通验证码的长度' },
    group,
  },
  resendSeconds: {
    key: 'app.auth.sms.resend-seconds',
    type: 'LONG',
    default: 60,
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'Minimum time between two messages to one mobile number',
    translations: { 'zh-CN': '向同一手机号发送两条短信的最短间隔' },
    group,
  },
  slowResendSeconds: {
    key: 'app.auth.sms.slow-resend-seconds',
    type: 'LONG',
    default: 1800,
    minimum: 60,
    maximum: MAX_WAIT_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description:
      'Longer minimum time between two messages to a mobile number that has got its messages of the day; the codes are valid as long',
    translations: { 'zh-CN': '手机号达到每天的短信数后，两条短信之间较长的最短间隔；此时验证码的有效时间与其相同' },
    group,
  },
  requireHandle: {
    key: 'app.auth.sms.require-handle',
    type: 'BOOLEAN',
    default: false,
    // Used while the stored value is unusable.
    fallback: true,
    isPublic: false,
    description:
      'Accept a code only with the handle of the request that brought it, which clients of the interface document do not return; while it is on, a repeated request within the interval brings no message, and its handle accepts no code',
    translations: {
      'zh-CN':
        '验证码须与发送它的那次请求所返回的句柄一同提交，接口文档的客户端不返回句柄；开启后，间隔内的重复请求不发送短信，其句柄也不接受任何验证码',
    },
    group,
  },
  maxAttempts: {
    key: 'app.auth.sms.max-attempts',
    type: 'INTEGER',
    default: 5,
    minimum: 1,
    maximum: 20,
    unit: 'count',
    isPublic: false,
    description:
      'Maximum attempts to enter a code; for requests without the handle of the code, counted per mobile number and client network',
    translations: { 'zh-CN': '每个验证码最多可尝试输入的次数；请求未携带验证码句柄时，按手机号和客户端网络计数' },
    group,
  },
  mobileDailyLimit: {
    key: 'app.auth.sms.mobile-daily-limit',
    type: 'LONG',
    default: 10,
    minimum: 1,
    maximum: 1000,
    unit: 'count',
    isPublic: false,
    description:
      'Messages that one mobile number gets per day at the ordinary interval, before the longer interval applies; a sign-in resets the count',
    translations: { 'zh-CN': '每个手机号每天按正常间隔发送的短信数，超过后按较长间隔发送；登录成功后重新计数' },
    group,
  },
  mobileCaptchaAfter: {
    key: 'app.auth.sms.mobile-captcha-after',
    type: 'LONG',
    default: 3,
    minimum: 0,
    maximum: 1000,
    unit: 'count',
    isPublic: false,
    description: 'Codes that may be requested for one mobile number per hour without a captcha',
    translations: { 'zh-CN': '每个手机号每小时无需人机验证即可请求的验证码数' },
    group,
  },
  ipHourlyLimit: {
    key: 'app.auth.sms.ip-hourly-limit',
    type: 'LONG',
    default: 200,
    minimum: 1,
    maximum: 100_000,
    unit: 'count',
    isPublic: false,
    description: 'Maximum codes that one client network may request per hour, not counting those used to sign in',
    translations: { 'zh-CN': '每个客户端网络每小时最多可请求的验证码数，已用于登录的不计' },
    group,
  },
  captchaAfter: {
    key: 'app.auth.sms.captcha-after',
    type: 'LONG',
    default: 20,
    minimum: 0,
    maximum: 100_000,
    unit: 'count',
    isPublic: false,
    description:
      'Codes that one client network may request per hour without a captcha, not counting those used to sign in; 0: every request needs a captcha',
    translations: {
      'zh-CN': '每个客户端网络每小时无需人机验证即可请求的验证码数，已用于登录的不计；0 表示每次请求都需要人机验证',
    },
    group,
  },
  regionHourlyLimit: {
    key: 'app.auth.sms.region-hourly-limit',
    type: 'LONG',
    default: 3000,
    minimum: 1,
    maximum: 10_000_000,
    unit: 'count',
    isPublic: false,
    description:
      'Maximum messages per hour to the mobile numbers of one country; beyond a quarter of it, every request for a code there needs a captcha',
    translations: {
      'zh-CN': '每小时向同一国家的手机号发送的最多短信数；超过其四分之一后，该国家的每次请求都需要人机验证',
    },
    group,
  },
  overallHourlyLimit: {
    key: 'app.auth.sms.overall-hourly-limit',
    type: 'LONG',
    default: 5000,
    minimum: 1,
    maximum: 10_000_000,
    unit: 'count',
    isPublic: false,
    description:
      'Maximum messages per hour to all mobile numbers together; beyond a quarter of it, every request for a code needs a captcha',
    translations: { 'zh-CN': '每小时向所有手机号合计发送的最多短信数；超过其四分之一后，每次请求验证码都需要人机验证' },
    group,
  },
  wrongCaptchaAfter: {
    key: 'app.auth.sms.wrong-captcha-after',
    type: 'LONG',
    default: 50,
    minimum: 0,
    maximum: 1000,
    unit: 'count',
    isPublic: false,
    description: 'Wrong codes that may be entered for one mobile number per day without a captcha',
    translations: { 'zh-CN': '每个手机号每天无需人机验证即可输错验证码的次数' },
    group,
  },
  wrongDailyLimit: {
    key: 'app.auth.sms.wrong-daily-limit',
    type: 'LONG',
    default: 100,
    minimum: 1,
    maximum: 1000,
    unit: 'count',
    isPublic: false,
    description: 'Wrong codes per day for one mobile number, beyond which only long codes are accepted',
    translations: { 'zh-CN': '每个手机号每天的错误验证码次数，超过后只接受长验证码' },
    group,
  },
  ipWrongDailyLimit: {
    key: 'app.auth.sms.ip-wrong-daily-limit',
    type: 'LONG',
    default: 50,
    minimum: 0,
    maximum: 100_000,
    unit: 'count',
    isPublic: false,
    description: 'Wrong codes that may be entered from one client network per day without a captcha',
    translations: { 'zh-CN': '每个客户端网络每天无需人机验证即可输错验证码的次数' },
    group,
  },
  overallWrongDailyLimit: {
    key: 'app.auth.sms.overall-wrong-daily-limit',
    type: 'LONG',
    default: 5000,
    minimum: 2,
    maximum: 1_000_000,
    unit: 'count',
    isPublic: false,
    description:
      'Wrong codes per day, for all mobile numbers together, beyond which only long codes are accepted; from half of it on, new codes are long',
    translations: {
      'zh-CN': '所有手机号每天合计的错误验证码次数，超过后只接受长验证码；达到其一半后，新发送的验证码为长验证码',
    },
    group,
  },
  lowUsePercent: {
    key: 'app.auth.sms.low-use-percent',
    type: 'LONG',
    default: 30,
    minimum: 0,
    maximum: 50,
    unit: 'percent',
    isPublic: false,
    description:
      'Share of used codes below which every further code for a country or a range of mobile numbers needs a captcha; 0: off',
    translations: { 'zh-CN': '某个国家或号段的验证码使用率低于此值时，此后每次向其发送都需要人机验证；0 表示关闭' },
    group,
  },
} as const;

export type SmsPolicy = ParameterValues<typeof smsParameters>;

export const smsParameterTable = defineParameterTable<typeof smsParameters, FastifyRequest>({
  definitions: smsParameters,
  rules: ({ codeLength, longCodeLength }) =>
    longCodeLength > codeLength ? [] : ['long-code-length must be more than code-length'],
});

/** The policy of the package: a number is its recipient. */
export function policyOf({ mobileDailyLimit, mobileCaptchaAfter, ...rest }: SmsPolicy): OneTimeCodePolicy {
  return { ...rest, recipientDailyLimit: mobileDailyLimit, recipientCaptchaAfter: mobileCaptchaAfter };
}
