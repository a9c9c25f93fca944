import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier, ParameterSubscription } from '../sources/index.js';

/** What the notifier needs of postgres.js: `postgres(…)`. It listens on a connection of its own, and listens again after a break. */
export interface ListeningPostgresJs {
  listen(channel: string, onNotify: () => void, onListen?: () => void): PromiseLike<{ unlisten(): Promise<void> }>;
  notify(channel: string, payload: string): PromiseLike<unknown>;
}

/** What the notifier needs of PGlite. */
export interface ListeningPGlite {
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>;
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

export interface PostgresNotifierOptions {
  /** postgres.js, or PGlite; of a drizzle database it is `$client`. Not behind a pooler that gives each transaction another connection. Required. It stays yours. */
  readonly client: ListeningPostgresJs | ListeningPGlite;
  /** The channel of LISTEN and NOTIFY, one for each service on a database. 1 to 63 bytes. Default `system_parameters`. */
  readonly channel?: string;
}

export const POSTGRES_NOTIFIER_DEFAULTS = { channel: 'system_parameters' } as const;

/** PostgreSQL cuts longer names, and then nobody hears. */
const MAX_CHANNEL_BYTES = 63;

/** Change notification by LISTEN and NOTIFY. */
export function createPostgresNotifier(options: PostgresNotifierOptions): ParameterNotifier {
  const { client, channel = POSTGRES_NOTIFIER_DEFAULTS.channel } = options;
  const faults = [
    ...(typeof client?.listen === 'function' ? [] : ['client must be postgres(…) of postgres.js, or a PGlite']),
    ...(typeof channel === 'string' && /^[^\0]+$/.test(channel) && Buffer.byteLength(channel) <= MAX_CHANNEL_BYTES
      ? []
      : [`channel must be a text of 1 to ${MAX_CHANNEL_BYTES} bytes`]),
  ];
  if (faults.length > 0) throw new SystemParametersSetupError(`createPostgresNotifier: ${faults.join('; ')}`);

  if ('notify' in client) {
    return {
      async publish() {
        await client.notify(channel, '');
      },
      subscribe(listener) {
        // Called when it listens, and listens again after a break: whatever was notified meanwhile is lost.
        const listening = Promise.resolve(client.listen(channel, listener, listener));
        return subscriptionOf(listening.then(({ unlisten }) => unlisten));
      },
    };
  }
  return {
    async publish() {
      await client.query('select pg_notify($1, $2)', [channel, '']);
    },
    subscribe: (listener) => subscriptionOf(client.listen(channel, () => listener())),
  };
}

function subscriptionOf(listening: Promise<() => Promise<void>>): ParameterSubscription {
  return {
    active: listening.then(() => {}),
    async end() {
      const unlisten = await listening.catch(() => null);
      await unlisten?.();
    },
  };
}
