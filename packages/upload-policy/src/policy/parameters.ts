import { extensionListFault, MAX_LIST_LENGTH, mediaTypeListFault, previewListFault } from './allowed-lists.js';

/** A megabyte of `max-size-mb` is 1024 × 1024 bytes. */
export const BYTES_PER_MEGABYTE = 1024 * 1024;

/** The code sets no limit of its own: this many megabytes can still be counted exactly in bytes. */
const MAX_MEGABYTES = Math.floor(Number.MAX_SAFE_INTEGER / BYTES_PER_MEGABYTE);

/** The "common images, documents, archives" of the interface document. */
const COMMON_EXTENSIONS = 'jpg,jpeg,png,gif,webp,pdf,txt,csv,doc,docx,xls,xlsx,zip';

/** The types that browsers send for them; on Windows a ZIP is `application/x-zip-compressed`. */
const COMMON_MEDIA_TYPES = [
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'application/pdf', 'text/plain', 'text/csv'],
  ...['application/msword', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ...['application/vnd.ms-excel', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ...['application/zip', 'application/x-zip-compressed'],
].join(',');

const group = { name: 'uploads', texts: { en: 'Uploads', 'zh-CN': '上传' } } as const;

/**
 * The definitions of the upload policy, as plain data for any table of dynamic parameters. Keys, types and defaults are
 * those of the interface document. A stored list that can't be used allows nothing. Requirement UPL-1.
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
    description: 'Largest file, in megabytes of 1024 × 1024 bytes; limits of a gateway apply as well',
    translations: { 'zh-CN': '单个文件的最大大小，1 兆为 1024 × 1024 字节；网关的限制同样有效' },
    group,
  },
  validationEnabled: {
    key: 'admin.storage.upload.validation.enabled',
    type: 'BOOLEAN',
    default: true,
    fallback: true,
    isPublic: false,
    description: 'Check extension, MIME type, file header and contents; size and non-empty are always checked',
    translations: { 'zh-CN': '检查扩展名、MIME 类型、文件头和内容；大小和非空始终检查' },
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
    description: 'Extensions that may be uploaded, comma-separated; listing one allows it; empty: all are refused',
    translations: { 'zh-CN': '允许上传的扩展名，以逗号分隔；列出即允许，为空则全部拒绝' },
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
    description: 'MIME types that a client may name, comma-separated; empty: all are refused',
    translations: { 'zh-CN': '客户端可声明的 MIME 类型，以逗号分隔；为空则全部拒绝' },
    group,
  },
  publicPreviewEnabled: {
    key: 'admin.storage.upload.public-preview.enabled',
    type: 'BOOLEAN',
    default: true,
    // A stored value that can't be used makes nothing public.
    fallback: false,
    isPublic: false,
    description: 'Whether an upload may be marked for public preview',
    translations: { 'zh-CN': '上传时可否标记为公开预览' },
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
    description: 'Extensions that may be previewed publicly, comma-separated; no active content and no text',
    translations: { 'zh-CN': '可公开预览的扩展名，以逗号分隔；不含活动内容和文本' },
    group,
  },
} as const;
