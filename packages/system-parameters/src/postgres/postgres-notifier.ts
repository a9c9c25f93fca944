import { randomUUID } from 'node:crypto';
import { option, readOptions } from '@sallyport/plugin-kit/options';
import { guardDatabase } from '@sallyport/plugin-kit/postgres';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier, ParameterSubscription } from '../sources/index.js';
import { watchHearing } from './hearing.js';

/**
 * The part of postgres.js, `postgres(…)`, that the notifier uses. It listens on a separate connection and reconnects.
 */
export interface ListeningPostgresJs {
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ): PromiseLike<{ unlisten(): Promise<void> }>;
  notify(channel: string, payload: string): PromiseLike<unknown>;
}

/** The part of PGlite that the notifier uses. */
export interface ListeningPGlite {
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>;
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

export interface PostgresNotifierOptions {
  /**
   * postgres.js or PGlite, such as `$client` of a drizzle database. Behind a pooler that gives each transaction another
   * connection, notifications do not arrive. The notifier reports this within 5 s, and polls. Required. The notifier
   * never closes it.
   */
  readonly client: ListeningPostgresJs | ListeningPGlite;
  /** The channel of LISTEN and NOTIFY, one per service on a database, 1 to 63 bytes. Default `system_parameters`. */
  readonly channel?: string;
}

export const POSTGRES_NOTIFIER_DEFAULTS = { channel: 'system_parameters' } as const;

/** The prefix of the payload of a notification that a subscription sends to itself. */
const PING = 'ping:';

/** PostgreSQL cuts off longer names, so nobody would be notified. */
const MAX_CHANNEL_BYTES = 63;

const rules = {
  client: option<ListeningPostgresJs | ListeningPGlite>({
    meaning: 'postgres(…) of postgres.js, or a PGlite',
    accepts: isListeningClient,
  }),
  channel: option<string>({
    meaning: `a text of 1 to ${MAX_CHANNEL_BYTES} bytes`,
    accepts: (value) =>
      typeof value === 'string' && /^[^\0]+$/.test(value) && Buffer.byteLength(value) <= MAX_CHANNEL_BYTES,
    default: POSTGRES_NOTIFIER_DEFAULTS.channel,
  }),
};

/** A client of postgres.js is a function with methods. */
function isListeningClient(value: unknown): boolean {
  const { listen, notify, query } = (value ?? {}) as Partial<ListeningPostgresJs & ListeningPGlite>;
  return typeof listen === 'function' && (typeof notify === 'function' || typeof query === 'function');
}

/**
 * Change notification by LISTEN and NOTIFY.
 *
 * @example
 * ```ts
 * async function startNode() {
 *   const app = Fastify();
 *   await app.register(systemParameters, {
 *     tables: [{ definitions: shop }],
 *     source: createPostgresSource({ database }),
 *     notifier: createPostgresNotifier({ client }),
 *   });
 *   return app;
 * }
 * ```
 */
export function createPostgresNotifier(options: PostgresNotifierOptions): ParameterNotifier {
  const { client, channel } = readOptions<Required<PostgresNotifierOptions>>(
    { subject: 'createPostgresNotifier', SetupError: SystemParametersSetupError },
    options,
    rules,
  );
  guardDatabase(client);

  if ('notify' in client) {
    return {
      async publish() {
        await client.notify(channel, '');
      },
      subscribe(listener, onHearing = () => {}) {
        const own = PING + randomUUID();
        const hearing = watchHearing({ ping: () => client.notify(channel, own), onHearing, poll: listener });
        function takeNotification(payload: string): void {
          if (payload === own) hearing.heard();
          else if (!payload.startsWith(PING)) listener();
        }
        // Called each time that LISTEN succeeds, because earlier notifications are lost.
        function takeListening(): void {
          listener();
          hearing.listened();
        }
        const listening = Promise.resolve(client.listen(channel, takeNotification, takeListening));
        return subscriptionOf(
          listening.then(({ unlisten }) => unlisten),
          hearing.end,
        );
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

function subscriptionOf(listening: Promise<() => Promise<void>>, beforeEnd = () => {}): ParameterSubscription {
  return {
    active: listening.then(() => {}),
    async end() {
      beforeEnd();
      const unlisten = await listening.catch(() => null);
      await unlisten?.();
    },
  };
}
