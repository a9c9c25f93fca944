export { type Json, MASK_LIMITS, type MaskLimits, maskLimitsRule, maskSensitive } from './mask-sensitive.js';
export { kindOfName, SENSITIVE_NAMES } from './sensitive-names.js';
export { cleanText } from './texts/clean-text.js';
export { maskText, storedText, storedTexts } from './texts/mask-text.js';
export { MASK } from './texts/spans.js';
