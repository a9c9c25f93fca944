import type { App } from '../../dist/app.js';

/**
 * Every route as it would be written for a store that can't commit with its rows: the record is completed when the
 * handler is done, and a run that died leaves an outcome that nobody knows. To be called before the routes are there.
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
