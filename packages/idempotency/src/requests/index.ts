export { openAnswer, sealAnswer, secretFaults } from './kept-answer.js';
export type { CompleteWithinOptions } from './kept-result.js';
export { createKeyLookUp, type KeyLookUp, type KeyState, type LookedUpRoute } from './key-look-up.js';
export {
  digestOf,
  type KeyPlace,
  readIdempotencyKey,
  refuseUnreadBody,
  scopeOf,
} from './request-identity.js';
export { RequestState } from './request-state.js';
export {
  declaresIdempotency,
  type IdempotencyRouteOptions,
  type RouteSettings,
  readRouteSettings,
} from './route-settings.js';
export { kSentRequest, readBeforeValidation } from './sent-request.js';
export { watchReplies } from './watched-replies.js';
