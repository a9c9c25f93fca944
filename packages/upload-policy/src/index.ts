export { ACTIVE_EXTENSIONS, isActiveContent } from './active-content.js';
export { extensionListFault, mediaTypeListFault, previewListFault } from './allowed-lists.js';
export type { UploadDestination, UploadSource } from './destination.js';
export {
  UploadEmptyError,
  UploadMalformedError,
  UploadPolicySetupError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTypeRefusedError,
} from './errors.js';
export { BYTES_PER_MEGABYTE, uploadPolicyParameters } from './parameters.js';
export { UPLOAD_POLICY_DEFAULTS, type UploadPolicy, uploadPolicyFaults } from './policy.js';
export type { ReceivedFile, ReceivedUpload } from './received-upload.js';
export type { UploadReceiver } from './upload-receiver.js';
export type { AcceptedUpload, RefusedUpload, UploadRefusalReason, UploadVerdict } from './verdict.js';
