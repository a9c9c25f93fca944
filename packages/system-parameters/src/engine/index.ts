export {
  type ParameterChange,
  type ParameterWarning,
  readPluginOptions,
  SYSTEM_PARAMETERS_DEFAULTS,
  type SystemParametersEngineOptions,
  type SystemParametersOptions,
  type SystemParametersPluginOptions,
} from './options.js';
export type { CacheHealth } from './parameter-cache.js';
export type { ChangeRequest } from './parameter-change.js';
export {
  createEngine,
  createSystemParameters,
  type ParameterView,
  type SystemParameters,
  type SystemParametersEngine,
  type SystemParametersHealth,
} from './system-parameters.js';
