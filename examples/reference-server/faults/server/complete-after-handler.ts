import type { CompleteWithinOptions } from '@sallyport/idempotency';
import { type SQL, sql } from 'drizzle-orm';
import type { App } from '../../dist/app.js';
import type { Queries } from '../../dist/storage/database.js';

/**
 * Adapts every route to a store that cannot commit with the rows: the record is completed after the handler, and the
 * outcome of a crashed run is unknown. Call it before the routes are registered.
 */
export function completeAfterHandler(app: App): void {
  app.addHook('onRoute', (route) => {
    const given = route.config?.idempotency;
    if (typeof given !== 'object') return;
    const { transactional: _, ...settings } = given;
    const { handler } = route;
    route.config = { ...route.config, idempotency: settings };
    route.handler = function handleThenComplete(request, reply) {
      const { idempotency } = request;
      if (idempotency !== null) request.idempotency = { ...idempotency, completeWithin: writeOnlyAlso };
      return handler.call(this, request, reply);
    };
  });
}

/** The statement that is sent with the completion, under the condition that the store would give it. */
async function writeOnlyAlso(transaction: object, { also = null }: CompleteWithinOptions = {}): Promise<void> {
  if (also === null) return;
  await (transaction as Queries).execute(sql`
    with completed as (select 1 where txid_current_if_assigned() is not null), also as (${also as SQL}) select 1
  `);
}
