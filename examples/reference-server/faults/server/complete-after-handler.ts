import type { App } from '../../dist/app.js';

/**
 * Adapts every route to a store that cannot commit with the rows: the record is completed after the handler, and the
 * outcome of a crashed run is unknown. Call it before the routes are registered.
 */
export function completeAfterHandler(app: App): void {
  app.addHook('onRoute', (route) => {
    const given = route.config?.idempotency;
    if (typeof given !== 'object') return;
    const { required = true } = given;
    const { handler } = route;
    route.config = { ...route.config, idempotency: { required } };
    route.handler = function handleThenComplete(request, reply) {
      const { idempotency } = request;
      if (idempotency !== null) request.idempotency = { ...idempotency, completeWithin: async () => {} };
      return handler.call(this, request, reply);
    };
  });
}
