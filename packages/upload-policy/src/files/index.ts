export { mediaTypesOfExtension } from './client-media-types.js';
export { displayName, extensionOf } from './display-name.js';
export {
  ACTIVE_EXTENSIONS,
  type FileKind,
  fileKind,
  isActiveContent,
  isTextExtension,
  UNKNOWN_MEDIA_TYPE,
} from './file-kinds.js';
export { createPagedSource, type PagedSource, type UploadSource } from './upload-source.js';
export {
  type AcceptedUpload,
  Refusal,
  type RefusedUpload,
  refused,
  UPLOAD_REFUSAL_REASONS,
  type UploadRefusalReason,
  type UploadVerdict,
} from './verdict.js';
