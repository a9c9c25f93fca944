export { ACTIVE_EXTENSIONS, isActiveContent } from './active-content.js';
export { displayName, extensionOf } from './display-name.js';
export { type FileKind, fileKind, UNKNOWN_MEDIA_TYPE } from './file-kinds.js';
export { createPagedSource, type PagedSource } from './paged-source.js';
export { Refusal, refused } from './refusal.js';
export { isTextExtension } from './text-extensions.js';
export type { AcceptedUpload, RefusedUpload, UploadRefusalReason, UploadVerdict } from './verdict.js';
