export { cleanText } from './clean-text.js';
export { type Json, MASK_LIMITS, type MaskLimits, maskLimitsRule, maskSensitive } from './mask-sensitive.js';
export { kindOfName, SENSITIVE_NAMES } from './sensitive-names.js';
export { maskText } from './sensitive-values.js';
