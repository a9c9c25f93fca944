import type { ClockEvent, StoreClock } from '@sallyport/ttl-store';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

/** Logs each change of this node's clock. The first check is at the start, which doesn't wait for the store. */
export function watchClock(fastify: FastifyInstance, clock: StoreClock): void {
  const unwatch = clock.watch((event) => logClockEvent(fastify.log, event));
  fastify.addHook('onReady', function lookAtClock(done) {
    // While the store is unavailable, requests are refused. The clock is checked again later.
    clock.check().catch(() => {});
    done();
  });
  fastify.addHook('onClose', async function ignoreClock() {
    unwatch();
  });
}

function logClockEvent(log: FastifyBaseLogger, event: ClockEvent): void {
  if (event.kind === 'off') {
    log.error(
      event,
      'the clock of this node is off by more than allowed: sessions use the clock of the store, but other times do not',
    );
  } else if (event.kind === 'right') log.warn(event, 'the clock of this node is right again');
  else log.error(event, 'the clock of the store was set: sessions follow it');
}
