import type { AuditDelivery } from '@sallyport/audit-log/delivery';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { countRows } from '../audit-records/index.js';
import type { NotificationQueue } from '../notifications/index.js';
import type { HealthComponent } from './health.js';

/** Whether the stores answer. */
export interface Pings {
  readonly database: { readonly name: string; ping(limitMillis: number): Promise<void> };
  /** null: the server runs without Redis. */
  readonly redis: { ping(): Promise<unknown> } | null;
}

export interface ComponentDependencies {
  readonly config: Config;
  readonly pings: Pings;
  readonly notifications: { readonly queue: Pick<NotificationQueue, 'counts'> };
}

/** Timeout of a ping, in milliseconds. The registry answers earlier; this only releases a ping that hangs. */
const PING_LIMIT_MILLIS = 5000;

/** The lag from which a receiver of the audit log is DOWN, in seconds. Pauses of a healthy delivery are shorter. */
const MAX_DELIVERY_LAG_SECONDS = 60;

/** Registers all components. */
export async function registerComponents(app: App, dependencies: ComponentDependencies): Promise<void> {
  const components = healthComponents(app, dependencies);
  for (const [name, component] of Object.entries(components)) app.health.register(name, component);
}

/** The components of this server, by name. */
function healthComponents(app: App, dependencies: ComponentDependencies): Record<string, HealthComponent> {
  const { config, pings, notifications } = dependencies;
  const { database, redis } = pings;
  return {
    database: {
      isEssential: true,
      async check() {
        await database.ping(PING_LIMIT_MILLIS);
        return { status: 'UP', details: { kind: database.name } };
      },
    },
    ...(redis !== null && {
      redis: {
        isEssential: true,
        async check() {
          await redis.ping();
          return { status: 'UP', details: { cluster: config['redis-cluster'] } };
        },
      },
    }),
    clock: {
      // Sessions and stamps use the store's clock. Other times, such as those in the log, use this node's clock, and
      // are wrong (TOK-12).
      isEssential: true,
      async check() {
        const { isOff, skewMillis, allowedSkewMillis } = await app.authTokens.clock();
        const skewSeconds = Math.round(skewMillis / 1000);
        const details = { skewSeconds, allowedSkewSeconds: allowedSkewMillis / 1000 };
        return isOff ? { status: 'DOWN', details: { reason: 'CLOCK_OFF', ...details } } : { status: 'UP', details };
      },
    },
    audit: {
      // Without records the server refuses its operations. The sink is checked every second until it has recovered.
      isEssential: true,
      check() {
        const { status, ...counts } = app.auditLog.health();
        return { status: status === 'up' ? 'UP' : 'DOWN', details: { ...counts } };
      },
    },
    'audit-history': {
      // Whether the service continues is a question of policy, because the lost records may be worth more than
      // availability.
      isEssential: config['audit.loss-readiness'] === 'down',
      check() {
        const { lost } = app.auditSink;
        const [first, last] = [lost[0], lost.at(-1)];
        if (first === undefined || last === undefined) return { status: 'UP' };
        const details = { reason: 'ROWS_LOST', rows: countRows(lost), from: first.from, to: last.to };
        return { status: 'DOWN', details };
      },
    },
    ...Object.fromEntries(app.auditDeliveries.map((delivery) => [`audit-${delivery.destination}`, behind(delivery)])),
    notifications: {
      isEssential: false,
      check: async () => ({ status: 'UP', details: { ...(await notifications.queue.counts()) } }),
    },
    storage: {
      isEssential: false,
      async check() {
        await app.storedFiles.check();
        return { status: 'UP' };
      },
    },
    nonces: {
      // While it is down, encrypted requests that may have been accepted before are refused (RPL-6). Others are served.
      isEssential: app.envelopeCrypto.mode === 'REQUIRED',
      check() {
        const { isRecovering, reason, remainingMillis } = app.replayGuard.state();
        if (!isRecovering) return { status: 'UP' };
        const remainingSeconds = Math.ceil(remainingMillis / 1000);
        return { status: 'DOWN', details: { reason: 'NONCES_LOST', loss: reason, remainingSeconds } };
      },
    },
    envelope: {
      isEssential: false,
      check() {
        const { mode, keyId, backend, keyRefreshFailure } = app.envelopeCrypto;
        const details = { mode, keyId, backend: backend?.name ?? null };
        const failure = keyRefreshFailure();
        if (failure === null) return { status: 'UP', details };
        // The keys in use are still valid (ENV-12).
        const failingSeconds = Math.round((Date.now() - failure.since) / 1000);
        return { status: 'DOWN', details: { ...details, reason: 'KEYS_NOT_REFRESHED', failingSeconds } };
      },
    },
    ...(config['safe-mode'] && {
      'safe-mode': {
        isEssential: false,
        check: () => ({ status: 'UP', details: { writes: 'refused' } }),
      } satisfies HealthComponent,
    }),
  };
}

/** A receiver of the audit log. The lag is the same on every node, but the status is that of this node. */
function behind(delivery: AuditDelivery): HealthComponent {
  return {
    isEssential: false,
    async check() {
      const { status, sequence, lagRecords, lagSeconds, missing } = await delivery.health();
      const isDown = status === 'failing' || status === 'stopped' || lagSeconds > MAX_DELIVERY_LAG_SECONDS;
      const details = { status, sequence, lagRecords, lagSeconds: Math.round(lagSeconds), missing };
      return { status: isDown ? 'DOWN' : 'UP', details };
    },
  };
}
