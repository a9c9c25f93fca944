export {
  type CoverageOptions,
  type CoveredRoutes,
  coverRoutes,
  type DescribedRoute,
  type RouteReading,
} from './cover-routes.js';
export {
  earlierRoutesRule,
  type PluginScope,
  requireOnce,
  requireScope,
  type ScopedPlugin,
  scopeRule,
} from './plugin-scope.js';
