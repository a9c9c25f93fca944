import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { pingDatabase } from '../../storage/database.js';
import type { Resources } from '../../storage/resources.js';
import type { NotificationQueue } from '../notifications/index.js';
import type { HealthComponent } from './health.js';

export interface ComponentDependencies {
  readonly config: Config;
  readonly resources: Pick<Resources, 'database' | 'redis'>;
  readonly notifications: { readonly queue: Pick<NotificationQueue, 'counts'> };
}

/** Timeout of a ping, in milliseconds. The registry answers earlier; this only releases a ping that hangs. */
const PING_LIMIT_MILLIS = 5000;

/** Registers all components. */
export async function registerComponents(app: App, dependencies: ComponentDependencies): Promise<void> {
  const components = healthComponents(app, dependencies);
  for (const [name, component] of Object.entries(components)) app.health.register(name, component);
}

/** The components of this server, by name. */
function healthComponents(app: App, dependencies: ComponentDependencies): Record<string, HealthComponent> {
  const { config, resources, notifications } = dependencies;
  const { database, redis } = resources;
  return {
    database: {
      isEssential: true,
      async check() {
        await pingDatabase(database, PING_LIMIT_MILLIS);
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
    audit: {
      // Without records the server refuses its operations. The sink is asked every second until it has recovered.
      isEssential: true,
      check() {
        const { status, ...counts } = app.auditLog.health();
        return { status: status === 'up' ? 'UP' : 'DOWN', details: { ...counts } };
      },
    },
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
    envelope: {
      isEssential: false,
      check() {
        const { mode, keyId, backend } = app.envelopeCrypto;
        return { status: 'UP', details: { mode, keyId, backend: backend?.name ?? null } };
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
