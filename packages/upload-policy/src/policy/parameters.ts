import { extensionListFault, MAX_LIST_LENGTH, mediaTypeListFault, previewListFault } from './allowed-lists.js';

/** A megabyte of `max-size-mb` is 1024 × 1024 bytes. */
export const BYTES_PER_MEGABYTE = 1024 * 1024;

/** The largest number of megabytes that can be counted exactly in bytes. There is no other limit in the code. */
const MAX_MEGABYTES = Math.floor(Number.MAX_SAFE_INTEGER / BYTES_PER_MEGABYTE);

/** The "common images, documents, archives" of the interface document. */
const COMMON_EXTENSIONS = 'jpg,jpeg,png,gif,webp,pdf,txt,csv,doc,docx,xls,xlsx,zip';

/** The types that browsers send for these extensions. On Windows a ZIP is `application/x-zip-compressed`. */
const COMMON_MEDIA_TYPES = [
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf', 'text/plain', 'text/csv'],
  ...['application/msword', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ...['application/vnd.ms-excel', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ...['application/zip', 'application/x-zip-compressed'],
].join(',');

const group = { name: 'uploads', texts: { en: 'Uploads', 'zh-CN': '上传' } } as const;

/**
 * The definitions of the upload policy, as plain data for any table of dynamic parameters. Keys, types and defaults are
 * those of the interface document. A stored list that can't be used allows nothing.
 */
export const uploadPolicyParameters = {
  maxSizeMb: {
    key: 'admin.storage.upload.max-size-mb',
    type: 'LONG',
    default: 10,
    minimum: 1,
    maximum: MAX_MEGABYTES,
    unit: 'mebibytes',
    isPublic: false,
    description: 'Maximum size of an uploaded file; a gateway in front of the service may allow less',
    translations: { 'zh-CN': '单个上传文件的最大大小；服务前的网关可能限制得更小' },
    group,
  },
  validationEnabled: {
    key: 'admin.storage.upload.validation.enabled',
    type: 'BOOLEAN',
    default: true,
    fallback: true,
    isPublic: false,
    description:
      'Check the extension, MIME type, file header and content of each upload; off: only its size, and that it is not empty',
    translations: { 'zh-CN': '检查每个上传文件的扩展名、MIME 类型、文件头和内容；关闭时只检查大小以及文件是否为空' },
    group,
  },
  allowedExtensions: {
    key: 'admin.storage.upload.allowed-extensions',
    type: 'STRING',
    default: COMMON_EXTENSIONS,
    fallback: '',
    maxLength: MAX_LIST_LENGTH,
    check: extensionListFault,
    isPublic: false,
    description: 'File extensions that may be uploaded, separated by commas; empty: every upload is refused',
    translations: { 'zh-CN': '允许上传的文件扩展名，以逗号分隔；为空则拒绝所有上传' },
    group,
  },
  allowedMimeTypes: {
    key: 'admin.storage.upload.allowed-mime-types',
    type: 'STRING',
    default: COMMON_MEDIA_TYPES,
    fallback: '',
    maxLength: MAX_LIST_LENGTH,
    check: mediaTypeListFault,
    isPublic: false,
    description: 'MIME types that an upload may declare, separated by commas; empty: every upload is refused',
    translations: { 'zh-CN': '上传时允许声明的 MIME 类型，以逗号分隔；为空则拒绝所有上传' },
    group,
  },
  publicPreviewEnabled: {
    key: 'admin.storage.upload.public-preview.enabled',
    type: 'BOOLEAN',
    default: true,
    // A stored value that can't be used makes nothing public.
    fallback: false,
    isPublic: false,
    description: 'An upload may be marked for public preview, which needs no sign-in',
    translations: { 'zh-CN': '上传时可标记为公开预览，公开预览无需登录' },
    group,
  },
  publicPreviewAllowedExtensions: {
    key: 'admin.storage.upload.public-preview.allowed-extensions',
    type: 'STRING',
    default: 'jpg,jpeg,png,webp',
    fallback: '',
    maxLength: MAX_LIST_LENGTH,
    check: previewListFault,
    isPublic: false,
    description:
      'File extensions that may be previewed without signing in, separated by commas; text and files that can contain scripts cannot be listed',
    translations: { 'zh-CN': '无需登录即可预览的文件扩展名，以逗号分隔；不能填写文本以及可能含脚本的类型' },
    group,
  },
} as const;
