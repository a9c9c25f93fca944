import { isPool } from './database-client.js';
import type { PostgresJsClient } from './shared-sessions.js';

/** Limits that a driver sends at the startup of a connection. 0 is none. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * Checks once whether the limits that the client sets on its connections are in force, and warns of one that is 0. A
 * pooler may accept the parameters of the startup and ignore them. Null if the client sets no limits.
 */
export function settingsLookOf(client: object): (() => Promise<void>) | null {
  const told = toldLimits(client);
  if (told.length === 0) return null;
  const names = told.map((name) => `'${name}'`).join(', ');
  const statement = `select name from pg_settings where setting = '0' and name in (${names})`;
  return async () => {
    const rows = isPool(client)
      ? (await client.query(statement)).rows
      : await (client as { unsafe(statement: string): PromiseLike<readonly unknown[]> }).unsafe(statement);
    const lost = (rows as readonly { readonly name: string }[]).map(({ name }) => name);
    if (lost.length === 0) return;
    process.emitWarning(
      `${lost.join(' and ')} was given to the driver, and is 0 on its connection: a pooler ignores parameters of the ` +
        `startup (ignore_startup_parameters). Set it for the role: alter role … set ${lost[0]} = …`,
      { code: 'SALLYPORT_SETTING_LOST' },
    );
  };
}

function toldLimits(client: object): readonly string[] {
  const { options } = client as { readonly options?: Partial<PostgresJsClient['options']> };
  const told = (isPool(client) ? client.options : options?.connection) as Readonly<Record<string, unknown>> | undefined;
  if (typeof told !== 'object' || told === null) return [];
  return LIMITS.filter((name) => Number.parseInt(String(told[name]), 10) > 0);
}
