export {
  explainUpload,
  INSPECTION_DEFAULTS,
  type InspectionLimits,
  inspectUpload,
  type RuleVerdict,
  refusalByName,
  type UploadCandidate,
  type UploadExplanation,
} from './inspect-upload.js';
export type { UploadRuleName } from './upload-rules.js';
