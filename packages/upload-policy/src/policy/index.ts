export {
  extensionListFault,
  extensionsOf,
  mediaTypeListFault,
  mediaTypesOf,
  previewListFault,
} from './allowed-lists.js';
export { BYTES_PER_MEGABYTE, uploadPolicyParameters } from './parameters.js';
export {
  createPolicyReader,
  policyRule,
  UPLOAD_POLICY_DEFAULTS,
  type UploadPolicy,
  uploadPolicyFaults,
} from './policy.js';
