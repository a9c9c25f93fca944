export {
  ADMIN_PARAMETER_ROUTES_DEFAULTS,
  type AdminParameterRoutesOptions,
  adminParameterRoutes,
  SYSTEM_PARAMETER_PERMISSIONS,
} from './admin-routes.js';
export {
  type BooleanDefinition,
  type ChangeContext,
  defineParameterTable,
  type NumberDefinition,
  type ParameterDefinition,
  type ParameterDefinitions,
  type ParameterProposal,
  type ParameterTable,
  type ParameterType,
  type ParameterValue,
  type ParameterValues,
  type StringDefinition,
} from './definitions.js';
export {
  ParameterChangeNotRecordedError,
  ParameterConfirmationNeededError,
  type ParameterFault,
  ParameterInvalidError,
  ParameterUnknownError,
  ParameterVersionConflictError,
  SystemParametersSetupError,
  SystemParametersUnavailableError,
} from './errors.js';
export { createMemorySource, type MemorySourceOptions } from './memory-source.js';
export {
  type ParameterChange,
  type ParameterWarning,
  SYSTEM_PARAMETERS_DEFAULTS,
  type SystemParametersEngineOptions,
  type SystemParametersOptions,
} from './options.js';
export type { CacheHealth } from './parameter-cache.js';
export type { ChangeRequest } from './parameter-change.js';
export type { ParameterNotifier, ParameterSubscription } from './parameter-notifier.js';
export type { DeclaredParameter, ParameterRow, ParameterSource, ParameterWrite } from './parameter-source.js';
export { type SystemParametersPluginOptions, systemParameters, systemParameters as default } from './plugin.js';
export {
  PUBLIC_PARAMETERS_ROUTE_DEFAULTS,
  type PublicParametersRouteOptions,
  publicParametersRoute,
} from './public-route.js';
export {
  createSystemParameters,
  type ParameterView,
  type SystemParameters,
  type SystemParametersEngine,
  type SystemParametersHealth,
} from './system-parameters.js';
