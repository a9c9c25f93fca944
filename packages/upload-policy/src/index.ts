export { ACTIVE_EXTENSIONS, isActiveContent } from './active-content.js';
export { extensionListFault, mediaTypeListFault, previewListFault } from './allowed-lists.js';
export { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits } from './archive-limits.js';
export type { UploadDestination, UploadSource } from './destination.js';
export { displayName } from './display-name.js';
export {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicySetupError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTypeRefusedError,
} from './errors.js';
export { createFileDestination, type FileDestinationOptions, TEMPORARY_SUFFIX } from './file-destination.js';
export {
  explainUpload,
  INSPECTION_DEFAULTS,
  type InspectionLimits,
  inspectUpload,
  type RuleVerdict,
  type UploadCandidate,
  type UploadExplanation,
} from './inspect-upload.js';
export { UPLOAD_POLICY_OPTION_DEFAULTS, type UploadPolicyOptions } from './options.js';
export { BYTES_PER_MEGABYTE, uploadPolicyParameters } from './parameters.js';
export { uploadPolicy, uploadPolicy as default } from './plugin.js';
export { UPLOAD_POLICY_DEFAULTS, type UploadPolicy, uploadPolicyFaults } from './policy.js';
export type { ReceivedFile, ReceivedUpload } from './received-upload.js';
export { lingerAfterAnswer } from './request-body.js';
export { contentDisposition, type ServedFile, type ServingHeaders, servingHeaders } from './serving-headers.js';
export type { UploadReceiver } from './upload-receiver.js';
export type { UploadRuleName } from './upload-rules.js';
export type { AcceptedUpload, RefusedUpload, UploadRefusalReason, UploadVerdict } from './verdict.js';
