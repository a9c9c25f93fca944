export {
  explainUpload,
  inspect,
  inspectUpload,
  type RuleVerdict,
  refusalByName,
  type UploadCandidate,
  type UploadExplanation,
} from './inspect-upload.js';
export {
  type CheckedLimits,
  INSPECTION_DEFAULTS,
  type InspectionLimits,
  inspectionRules,
} from './inspection-limits.js';
export { MAX_TEXT_ENCODINGS, TEXT_ENCODINGS, type TextEncoding, textEncodingFault } from './text-encodings.js';
export type { UploadRuleName } from './upload-rules.js';
