import { defineRefusal } from '../http/refusal.js';

/** The request has more header lines than our clients send (SV-04). */
export const HeadersTooManyError = defineRefusal({
  code: 'HEADERS_TOO_MANY',
  status: 431,
  en: 'The request has too many headers.',
  'zh-CN': '请求头过多。',
});

/** HTTP-6. */
export const HostInvalidError = defineRefusal({
  code: 'HOST_INVALID',
  status: 400,
  en: 'The request needs exactly one valid Host header.',
  'zh-CN': '请求必须包含且只包含一个有效的 Host 请求头。',
});

/** HTTP-7. */
export const ContentEncodingUnsupportedError = defineRefusal({
  code: 'CONTENT_ENCODING_UNSUPPORTED',
  status: 415,
  en: 'A body with a Content-Encoding, or with a Transfer-Encoding other than chunked, is not accepted.',
  'zh-CN': '不接受带有 Content-Encoding 或 chunked 以外 Transfer-Encoding 的请求体。',
});

/** The session may change its own password or end; nothing else, until the password is changed (PWD-7). */
export const PasswordChangeRequiredError = defineRefusal({
  code: 'PASSWORD_CHANGE_REQUIRED',
  status: 403,
  en: 'Change your password first. Until then, only that and signing out are possible.',
  'zh-CN': '请先修改密码；修改之前只能修改密码或退出登录。',
});

/** Safe mode is on and refuses all changes (OPS-4). */
export const SafeModeError = defineRefusal({
  code: 'SAFE_MODE',
  status: 403,
  en: 'This is a demonstration: nothing can be changed here.',
  'zh-CN': '当前为演示模式，不能进行修改操作。',
});

/** The session waits for its second step (MFA-2). */
export const SecondFactorRequiredError = defineRefusal({
  code: 'SECOND_FACTOR_REQUIRED',
  status: 403,
  en: 'Confirm the sign-in with your second factor first.',
  'zh-CN': '请先使用第二因素完成登录。',
});

/** The session waits for the enrolment of a factor (MFA-2). */
export const SecondFactorEnrolmentRequiredError = defineRefusal({
  code: 'SECOND_FACTOR_ENROLMENT_REQUIRED',
  status: 403,
  en: 'Set up a second factor first.',
  'zh-CN': '请先绑定第二因素。',
});

/** One answer for every reason. */
export const SecondFactorFailedError = defineRefusal({
  code: 'SECOND_FACTOR_FAILED',
  status: 401,
  en: 'The second factor is not right, or it was used before.',
  'zh-CN': '第二因素不正确或已被使用。',
});

/** The last proof is too old for what the route does (MFA-3). */
export const StepUpRequiredError = defineRefusal({
  code: 'STEP_UP_REQUIRED',
  status: 403,
  en: 'Confirm again that it is you: with your second factor or, without one, your password.',
  'zh-CN': '请再次验证身份：使用第二因素，未绑定时使用密码。',
});
