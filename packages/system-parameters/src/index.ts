export {
  type BooleanDefinition,
  type ChangeContext,
  defineParameters,
  defineParameterTable,
  type NumberDefinition,
  PARAMETER_UNITS,
  type ParameterDefinition,
  type ParameterDefinitions,
  type ParameterGroup,
  type ParameterProposal,
  type ParameterTable,
  type ParameterTexts,
  type ParameterType,
  type ParameterUnit,
  type ParameterValue,
  type ParameterValues,
  type StringDefinition,
} from './definitions/index.js';
export {
  type CacheHealth,
  type ChangeRequest,
  createSystemParameters,
  type ParameterChange,
  type ParameterView,
  type ParameterWarning,
  SYSTEM_PARAMETERS_DEFAULTS,
  type SystemParameters,
  type SystemParametersEngine,
  type SystemParametersEngineOptions,
  type SystemParametersHealth,
  type SystemParametersOptions,
} from './engine/index.js';
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
export { type SystemParametersPluginOptions, systemParameters, systemParameters as default } from './plugin.js';
export { refusals, type SystemParametersRefusalCode } from './refusals.js';
export {
  ADMIN_PARAMETER_ROUTES_DEFAULTS,
  type AdminParameterRoutesOptions,
  adminParameterRoutes,
  PUBLIC_PARAMETERS_ROUTE_DEFAULTS,
  type PublicParametersRouteOptions,
  publicParametersRoute,
  SYSTEM_PARAMETER_PERMISSIONS,
} from './routes/index.js';
export {
  createMemorySource,
  type DeclaredParameter,
  type MemorySourceOptions,
  type ParameterNotifier,
  type ParameterRow,
  type ParameterSource,
  type ParameterSubscription,
  type ParameterWrite,
} from './sources/index.js';
