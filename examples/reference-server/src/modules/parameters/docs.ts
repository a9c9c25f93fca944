import {
  ParameterChangeNotRecordedError,
  ParameterConfirmationNeededError,
  ParameterInvalidError,
  ParameterUnknownError,
  ParameterVersionConflictError,
  SystemParametersUnavailableError,
} from '@sallyport/system-parameters';
import { ADMINISTRATOR_ID, INSTANT, page } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

const parameter = {
  key: 'admin.auth.login.failure-count',
  type: 'LONG',
  value: 5,
  defaultValue: 5,
  minimum: 1,
  maximum: 100,
  maxLength: null,
  values: null,
  unit: { name: 'count', texts: { en: 'count', 'zh-CN': '次' } },
  group: { name: 'sign-in-protection', texts: { en: 'Sign-in protection', 'zh-CN': '登录保护' } },
  isPublic: false,
  description: 'Failed sign-ins of one username within the counting window that lock the username',
  texts: {
    en: 'Failed sign-ins of one username within the counting window that lock the username',
    'zh-CN': '统计窗口内导致用户名被锁定的登录失败次数',
  },
  version: 1,
  updatedBy: ADMINISTRATOR_ID,
  updatedAt: INSTANT,
  fault: null,
};

/** Policies that can be changed while the server runs. */
export const parameterOperations: OperationTexts = {
  'GET /admin/system-parameters': {
    tag: 'System parameters',
    summary: 'List system parameters',
    refusals: [SystemParametersUnavailableError],
    response: { data: [parameter], page },
  },
  'GET /admin/system-parameters/:key': {
    tag: 'System parameters',
    summary: 'Read a system parameter',
    refusals: [ParameterUnknownError, SystemParametersUnavailableError],
    response: { data: parameter },
  },
  'PUT /admin/system-parameters/:key': {
    tag: 'System parameters',
    summary: 'Change a system parameter',
    description:
      '`version` is the version that was read. The change takes effect on every node within 2 s. A change that would lock out its caller needs `confirm: true`.',
    refusals: [
      ParameterUnknownError,
      ParameterInvalidError,
      ParameterVersionConflictError,
      ParameterConfirmationNeededError,
      ParameterChangeNotRecordedError,
      SystemParametersUnavailableError,
    ],
    // Version 0: nobody has changed it yet.
    request: { value: 3, version: 0 },
    response: { data: { ...parameter, value: 3, version: 1 } },
  },
  'GET /public/system-parameters': {
    tag: 'System parameters',
    summary: 'Read the public system parameters',
    description: 'For example the password rules, which clients check before they hash.',
    refusals: [SystemParametersUnavailableError],
    response: { data: { 'admin.auth.password.min-length': 6, 'admin.auth.password.require-digit': false } },
  },
};
