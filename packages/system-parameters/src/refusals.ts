import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  PARAMETER_UNKNOWN: {
    status: 404,
    retry: 'never',
    en: 'There is no such system parameter.',
    'zh-CN': '系统参数不存在。',
  },
  PARAMETER_INVALID: {
    status: 400,
    retry: 'correct-request',
    message: 'The change is not valid: %s',
    en: 'The change is not valid.',
    'zh-CN': '修改内容无效。',
  },
  PARAMETER_VERSION_CONFLICT: {
    status: 409,
    retry: 'read-again',
    message: 'The parameter was changed meanwhile; read it again',
    en: 'The parameter was changed meanwhile. Read it again.',
    'zh-CN': '该参数已被他人修改，请重新读取。',
  },
  PARAMETER_CONFIRMATION_NEEDED: {
    status: 409,
    retry: 'confirm',
    message: 'The change needs to be confirmed: %s',
    en: 'The change needs to be confirmed.',
    'zh-CN': '该修改需要确认。',
  },
  PARAMETER_CHANGE_NOT_RECORDED: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'The change could not be recorded and was not made. Try again later.',
    'zh-CN': '修改无法记录，未生效，请稍后再试。',
  },
  SYSTEM_PARAMETERS_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'System parameters are not available at the moment. Try again later.',
    'zh-CN': '系统参数暂时不可用，请稍后再试。',
  },
});

export type SystemParametersRefusalCode = keyof typeof refusals;
