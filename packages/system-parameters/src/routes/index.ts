export {
  ADMIN_PARAMETER_ROUTES_DEFAULTS,
  type AdminParameterRoutesOptions,
  adminParameterRoutes,
  SYSTEM_PARAMETER_PERMISSIONS,
} from './admin-routes.js';
export {
  PUBLIC_PARAMETERS_ROUTE_DEFAULTS,
  type PublicParametersRouteOptions,
  publicParametersRoute,
} from './public-route.js';
