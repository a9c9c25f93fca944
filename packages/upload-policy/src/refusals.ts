import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  UPLOAD_EMPTY: {
    status: 400,
    retry: 'correct-request',
    message: 'The file is empty (EMPTY)',
    en: 'The file is empty.',
    'zh-CN': '文件为空。',
  },
  UPLOAD_TOO_LARGE: {
    status: 413,
    retry: 'correct-request',
    message: '%s',
    en: 'The file is too large.',
    'zh-CN': '文件过大。',
  },
  UPLOAD_TOO_MANY: {
    status: 429,
    retry: 'wait-then-retry',
    message: 'Too many uploads at the same time',
    en: 'You have too many uploads under way. Try again when one has ended.',
    'zh-CN': '您正在进行的上传过多，请等待其中一个完成后再试。',
  },
  UPLOAD_TYPE_REFUSED: {
    status: 415,
    retry: 'correct-request',
    message: '%s',
    en: 'A file like this is not accepted.',
    'zh-CN': '不接受此类文件。',
  },
  UPLOAD_MALFORMED: {
    status: 400,
    retry: 'correct-request',
    message: 'This is not a form with one file: %s',
    en: 'The body has to be a form (multipart/form-data) with exactly one file.',
    'zh-CN': '请求体必须是仅含一个文件的表单（multipart/form-data）。',
  },
  UPLOAD_PREVIEW_REFUSED: {
    status: 403,
    retry: 'never',
    message: 'This file has no public preview',
    en: 'This file may not be previewed publicly.',
    'zh-CN': '该文件不允许公开预览。',
  },
  UPLOAD_NOT_STORED: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'The file cannot be stored at the moment. Try again later.',
    'zh-CN': '暂时无法保存文件，请稍后再试。',
  },
  UPLOAD_POLICY_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Uploads cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法检查上传文件，请稍后再试。',
  },
});

export type UploadPolicyRefusalCode = keyof typeof refusals;
