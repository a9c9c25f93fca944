import type { ClockEvent } from '@sallyport/ttl-store';
import type { App } from '../../http/module.js';
import type { SessionDependencies } from './routes.js';

/** What is recorded: security events, which the deliveries of the audit log mark as such (AUD-13). */
const ACTIONS = {
  off: 'security.clock-off',
  right: 'security.clock-right',
  'store-step': 'security.store-clock-step',
} as const satisfies Record<ClockEvent['kind'], string>;

/** Records when the clock of this node goes off, when it is right again, and when the store's was set (TOK-12). */
export async function recordClockEvents(app: App, { clock }: SessionDependencies): Promise<void> {
  const unwatch = clock.watch(({ kind, ...parameters }) => {
    // auth-tokens logs the event as well. A sink that is away makes the server unavailable by itself.
    app.auditLog.record({ action: ACTIONS[kind], parameters }).catch((err) => app.log.error({ err }, ACTIONS[kind]));
  });
  app.addHook('onClose', async function ignoreClock() {
    unwatch();
  });
}
