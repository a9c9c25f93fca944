import {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTooManyError,
  UploadTypeRefusedError,
} from '@sallyport/upload-policy';
import { defineRefusal, describeRefusal } from '../../http/refusal.js';

/** The storage has no free space. Nothing of the upload is kept. */
export const StorageFullError = defineRefusal({
  code: 'STORAGE_FULL',
  status: 507,
  en: 'There is no room for the file at the moment.',
  'zh-CN': '存储空间不足，暂时无法保存文件。',
});

/** The storage can't be reached, or failed. */
export const StorageUnavailableError = defineRefusal({
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  en: 'Files are not available at the moment. Try again later.',
  'zh-CN': '文件暂时不可用，请稍后再试。',
  carries: { retryAfterSeconds: 5 },
});

/** The file has none of the requested bytes (RFC 9110, 15.5.17). */
export const RangeNotSatisfiableError = defineRefusal({
  code: 'RANGE_NOT_SATISFIABLE',
  status: 416,
  en: 'The file has no such bytes.',
  'zh-CN': '请求的范围超出文件大小。',
});

/** The file has another content than the request wants (RFC 9110, 13.1.1). */
export const PreconditionFailedError = defineRefusal({
  code: 'PRECONDITION_FAILED',
  status: 412,
  en: 'The file has another content than the request asks for.',
  'zh-CN': '文件内容与请求所指定的不一致。',
});

describeRefusal(new UploadEmptyError(), {
  en: 'The file is empty.',
  'zh-CN': '文件为空。',
});

describeRefusal(new UploadTooLargeError(1), {
  en: 'The file is too large.',
  'zh-CN': '文件过大。',
});

describeRefusal(
  new UploadTypeRefusedError({
    accepted: false,
    reason: 'EXTENSION_NOT_ALLOWED',
    detail: 'The extension is not accepted',
  }),
  {
    en: 'A file like this is not accepted.',
    'zh-CN': '不接受此类文件。',
  },
);

describeRefusal(new UploadTooManyError(), {
  en: 'You have too many uploads under way. Try again when one has ended.',
  'zh-CN': '您正在进行的上传过多，请等待其中一个完成后再试。',
});

describeRefusal(new UploadMalformedError('The form has no file'), {
  en: 'The body has to be a form (multipart/form-data) with exactly one file.',
  'zh-CN': '请求体必须是仅含一个文件的表单（multipart/form-data）。',
});

describeRefusal(new UploadPreviewRefusedError(), {
  en: 'This file may not be previewed publicly.',
  'zh-CN': '该文件不允许公开预览。',
});

describeRefusal(new UploadNotStoredError(), {
  en: 'The file cannot be stored at the moment. Try again later.',
  'zh-CN': '暂时无法保存文件，请稍后再试。',
});

describeRefusal(new UploadPolicyUnavailableError(), {
  en: 'Uploads cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法检查上传文件，请稍后再试。',
});
