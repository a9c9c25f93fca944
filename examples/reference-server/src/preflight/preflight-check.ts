import type { Cluster, Redis } from 'ioredis';
import type { Config, Property } from '../config/config.js';
import type { Database } from '../storage/database.js';
import type { MigrationState } from '../storage/migrations.js';
import type { PreflightItem } from './preflight-item.js';
import type { ProcessFacts } from './process-facts.js';
import type { StoredParameters } from './stored-parameters.js';

/** The data available to every check. */
export interface PreflightContext {
  /** Validated, with its secrets. No item may contain one of them. */
  readonly config: Config;
  readonly process: ProcessFacts;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The configured stores. Null if one can't be opened, which is an item of its own. */
  readonly stores: PreflightStores | null;
}

/** For reading. */
export interface PreflightDatabase extends Pick<Database, 'orm' | 'name' | 'reading'> {
  readonly migrations: MigrationState;
}

export interface PreflightStores {
  /** Null if the embedded database does not exist yet, or if a running server uses it. */
  readonly database: PreflightDatabase | null;
  /** Null: no Redis is configured. */
  readonly redis: Redis | Cluster | null;
  /** The stored system parameters; the defaults if there is no database. */
  readonly parameters: StoredParameters;
}

type Items = Iterable<PreflightItem> | AsyncIterable<PreflightItem> | Promise<Iterable<PreflightItem>>;

/** A deployment's own check, in the module that `SERVICE_PREFLIGHT_MODULE` names. It must not change anything. */
export interface PreflightCheck {
  /** Prefix of the ids of its items: `<id>` or `<id>.<more>`. Must not be an id of the server. */
  readonly id: string;
  run(context: PreflightContext): Items;
}

/** A check of settings. Runs before anything is opened. */
export interface SettingCheck {
  readonly id: string;
  /** The check is skipped if one of these could not be read: it would check the default instead. */
  readonly reads: readonly Property[];
  run(context: Omit<PreflightContext, 'stores'>): Items;
}

interface StoreContext extends PreflightContext {
  readonly stores: PreflightStores;
  /** None of the check's tables exists before the next start, which creates them all, empty. */
  readonly areTablesMissing: boolean;
}

/** A check of the stores and their content. */
export interface StoreCheck {
  readonly id: string;
  /** The tables that it reads. It is skipped while a pending migration changes one of them (OPS-13). */
  readonly tables: readonly string[];
  run(context: StoreContext): Items;
}

type SettingContext<P extends Property> = Omit<PreflightContext, 'stores' | 'config'> & {
  readonly config: Pick<Config, P>;
};

/** Makes the compiler verify that a check reads only the properties that it lists. */
export function settingCheck<const P extends Property>(check: {
  readonly id: string;
  readonly reads: readonly P[];
  run(context: SettingContext<P>): Items;
}): SettingCheck {
  return check;
}
