export { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits } from './archives/index.js';
export {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicySetupError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTooManyError,
  UploadTypeRefusedError,
} from './errors.js';
export {
  ACTIVE_EXTENSIONS,
  type AcceptedUpload,
  displayName,
  isActiveContent,
  type RefusedUpload,
  UPLOAD_REFUSAL_REASONS,
  type UploadRefusalReason,
  type UploadSource,
  type UploadVerdict,
} from './files/index.js';
export {
  explainUpload,
  INSPECTION_DEFAULTS,
  type InspectionLimits,
  inspectUpload,
  MAX_TEXT_ENCODINGS,
  type RuleVerdict,
  TEXT_ENCODINGS,
  type TextEncoding,
  textEncodingFault,
  type UploadCandidate,
  type UploadExplanation,
  type UploadRuleName,
} from './inspection/index.js';
export { UPLOAD_POLICY_OPTION_DEFAULTS, type UploadPolicyOptions } from './options.js';
export { uploadPolicy, uploadPolicy as default } from './plugin.js';
export {
  BYTES_PER_MEGABYTE,
  extensionListFault,
  mediaTypeListFault,
  previewListFault,
  UPLOAD_POLICY_DEFAULTS,
  type UploadPolicy,
  uploadPolicyFaults,
  uploadPolicyParameters,
} from './policy/index.js';
export {
  createFileDestination,
  type FileDestinationOptions,
  lingerAfterAnswer,
  type ReceivedFile,
  type ReceivedUpload,
  TEMPORARY_SUFFIX,
  type UploadDestination,
  type UploadReceiver,
} from './receiving/index.js';
export { uploadRefusalSchema } from './refusal-schema.js';
export { refusals, type UploadPolicyRefusalCode } from './refusals.js';
export { contentDisposition, type ServedFile, type ServingHeaders, servingHeaders } from './serving-headers.js';
