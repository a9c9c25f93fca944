import type { ClockEvent } from '@sallyport/ttl-store';
import type { App } from '../../http/module.js';
import type { SessionDependencies } from './routes.js';

/**
 * The actions of the records. They are security events, which the deliveries of the audit log mark as such (AUD-13).
 */
const ACTIONS = {
  off: 'security.clock-off',
  right: 'security.clock-right',
  'store-step': 'security.store-clock-step',
} as const satisfies Record<ClockEvent['kind'], string>;

/**
 * Makes audit records when the clock of this node becomes wrong, when it is right again, and when the store's clock was
 * set (TOK-12).
 */
export async function recordClockEvents(app: App, { clock }: SessionDependencies): Promise<void> {
  const unwatch = clock.watch(({ kind, ...parameters }) => {
    // auth-tokens also logs the event. An unavailable sink makes the server unavailable by itself.
    app.auditLog.record({ action: ACTIONS[kind], parameters }).catch((err) => app.log.error({ err }, ACTIONS[kind]));
  });
  app.addHook('onClose', async function ignoreClock() {
    unwatch();
  });
}
