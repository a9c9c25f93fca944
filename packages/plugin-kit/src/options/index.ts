export { type ArgumentCheckSettings, type ArgumentRules, argumentCheck } from './argument-check.js';
export { closestName } from './closest-name.js';
export type { KnownMembers } from './known-members.js';
export { isRandomEnough } from './random-bytes.js';
export { type OptionsOwner, readOptions } from './read-options.js';
export {
  anything,
  callback,
  type Default,
  flag,
  group,
  hasMethods,
  holdsMembers,
  isObject,
  listOf,
  nullable,
  type OptionRule,
  type OptionRules,
  objectWith,
  oneOf,
  option,
  optional,
  text,
  wholeNumber,
} from './rules.js';
export { SetupError, type SetupErrorClass } from './setup-error.js';
export { unknownNameFaults } from './unknown-names.js';
