export { readIdempotencyKey } from './idempotency-key.js';
export { createKeyLookUp, type KeyLookUp, type KeyState, type LookedUpRoute } from './key-look-up.js';
export { digestOf, type KeyPlace, scopeOf } from './request-digest.js';
export { Exchange } from './request-state.js';
export { type IdempotencyRouteOptions, methodsOf, type RouteSettings, readRouteSettings } from './route-settings.js';
