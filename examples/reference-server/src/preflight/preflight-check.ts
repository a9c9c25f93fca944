import type { Cluster, Redis } from 'ioredis';
import type { Config, Property } from '../config/config.js';
import type { Database } from '../storage/database.js';
import type { PreflightItem } from './preflight-item.js';
import type { ProcessFacts } from './process-facts.js';
import type { StoredParameters } from './stored-parameters.js';

/** What every check may look at. */
export interface PreflightContext {
  /** Checked, with its secrets: none of them may get into an item. */
  readonly config: Config;
  readonly process: ProcessFacts;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** What the configuration names, opened; null where it can't be, which is an item of its own. */
  readonly stores: PreflightStores | null;
}

export interface PreflightStores {
  /** For reading. Null: the embedded database that isn't made yet, or that a running server has. */
  readonly database: Pick<Database, 'orm' | 'name'> | null;
  /** Null: the configuration names none. */
  readonly redis: Redis | Cluster | null;
  /** What is stored of the system parameters; the defaults where there is no database. */
  readonly parameters: StoredParameters;
}

type Items = Iterable<PreflightItem> | AsyncIterable<PreflightItem> | Promise<Iterable<PreflightItem>>;

/** A check of a deployment's own, in the module that `SERVICE_PREFLIGHT_MODULE` names. It changes nothing. */
export interface PreflightCheck {
  /** What the ids of its items begin with: `<id>` or `<id>.<more>`. None of the server's own. */
  readonly id: string;
  run(context: PreflightContext): Items;
}

/** A check of settings, before anything is opened. */
export interface SettingCheck {
  readonly id: string;
  /** It is left out where one of these could not be read: a default would be judged in its place. */
  readonly reads: readonly Property[];
  run(context: Omit<PreflightContext, 'stores'>): Items;
}

/** A check of what is stored, and of where. */
export interface StoreCheck {
  readonly id: string;
  run(context: PreflightContext & { readonly stores: PreflightStores }): Items;
}

type SettingContext<P extends Property> = Omit<PreflightContext, 'stores' | 'config'> & {
  readonly config: Pick<Config, P>;
};

/** Lets the compiler see that a check reads no property but those that it names. */
export function settingCheck<const P extends Property>(check: {
  readonly id: string;
  readonly reads: readonly P[];
  run(context: SettingContext<P>): Items;
}): SettingCheck {
  return check;
}
