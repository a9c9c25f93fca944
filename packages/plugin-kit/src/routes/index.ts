export type { AnyRequest } from './any-request.js';
export { askDecision, type UndecidedRoute } from './ask-decision.js';
export { isClosed } from './closed-reply.js';
export {
  type CoverageOptions,
  type CoveredRoutes,
  coverRoutes,
  type RouteReading,
} from './cover-routes.js';
export type { DescribedRoute } from './described-route.js';
export { isResponse } from './fetch-response.js';
export { ownCompilers, type RouteCompilers } from './own-compilers.js';
export {
  earlierRoutesRule,
  type PluginScope,
  requireFreeNames,
  requireScope,
  type ScopedPlugin,
  scopeRule,
} from './plugin-scope.js';
export { replaceReplyMethod } from './reply-methods.js';
export { methodsOf } from './route-faults.js';
export { stopsStart } from './start-refusal.js';
