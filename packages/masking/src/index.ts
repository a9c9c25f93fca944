export { cleanText } from './clean-text.js';
export { type Json, MASK_LIMITS, type MaskLimits, maskLimitsRule, maskSensitive } from './mask-sensitive.js';
export { maskText, storedText } from './mask-text.js';
export { kindOfName, SENSITIVE_NAMES } from './sensitive-names.js';
