import { defineRefusal } from '../../http/refusal.js';

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
