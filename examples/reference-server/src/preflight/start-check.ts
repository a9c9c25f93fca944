import type { FastifyBaseLogger } from 'fastify';
import { type Config, inspectConfig, readConfig } from '../config/config.js';
import { readMigrationState, SchemaObstacleError } from '../storage/migrations.js';
import type { Resources } from '../storage/opened-resources.js';
import { schemaTargetOf } from '../storage/resources.js';
import { obstacleItem } from './database-checks.js';
import { parametersIn } from './open-stores.js';
import { checkSettings, checkStores, PreflightError, type PreflightOptions, presentable } from './preflight.js';
import { describeItem, faultItem, type PreflightItem } from './preflight-item.js';
import { type ProcessFacts, readProcessFacts } from './process-facts.js';

export interface StartCheckOptions {
  readonly config: Config;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
  /** Default: this process. */
  readonly process?: ProcessFacts;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * The preflight of a start in production (OPS-3): opens the configured stores, and rejects with every error of settings
 * and stores at once. Warnings are logged.
 *
 * @throws {PreflightError}
 */
export async function openChecked(
  { config, log, process = readProcessFacts(), now = Date.now }: StartCheckOptions,
  open: () => Promise<Resources>,
): Promise<Resources> {
  const options: PreflightOptions = { config, process, now };
  // Run before opening: opening corrects the modes of folders, and would hide wrong ones.
  const ofSettings = await checkSettings(options);
  const resources = await opened(open, ofSettings, config);
  const { redis } = resources;
  const migrations = await readMigrationState(resources.database.orm, schemaTargetOf(config));
  const database = { ...resources.database, migrations };
  const stores = { database, redis, parameters: parametersIn(database) };
  const items = presentable([...ofSettings, ...(await checkStores(options, stores))], config);
  refuseErrors(items);
  for (const item of items.filter(({ severity }) => severity === 'warning')) {
    log.warn({ preflight: item.id }, describeItem(item));
  }
  return resources;
}

/** Opens the stores. If one can't be opened, the errors found so far are reported with it. */
async function opened(
  open: () => Promise<Resources>,
  ofSettings: readonly PreflightItem[],
  config: Config,
): Promise<Resources> {
  try {
    return await open();
  } catch (error) {
    const errors = ofSettings.filter(({ severity }) => severity === 'error');
    if (errors.length === 0 || !(error instanceof Error)) throw error;
    refuseErrors(presentable([...errors, ...unopened(error)], config));
    throw error;
  }
}

function unopened({ message, cause }: Error): PreflightItem[] {
  if (cause instanceof SchemaObstacleError) return cause.obstacles.map(obstacleItem);
  const [finding = message, ...fixes] = message.split('; ');
  const fix = fixes.join('; ') || 'make it reachable, or change its address';
  return [{ id: 'preflight.stores', severity: 'error', finding, fix }];
}

/**
 * Reads the configuration of a start. In production, an invalid configuration is reported together with all other
 * errors that can be found, so that they can be corrected in one go.
 *
 * @throws {ConfigError} {@link PreflightError}
 */
export async function readStartConfig(environment: Readonly<Record<string, string | undefined>>): Promise<Config> {
  const { config, unread, faults } = inspectConfig(environment);
  if (faults.length === 0 || config.profile !== 'production') return readConfig(environment);
  const options: PreflightOptions = { config, unread, process: readProcessFacts(), now: Date.now };
  const items = [...faults.map(faultItem), ...(await checkSettings(options))];
  const errors = presentable(items, config, environment).filter(({ severity }) => severity === 'error');
  throw new PreflightError(errors);
}

function refuseErrors(items: readonly PreflightItem[]): void {
  const errors = items.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new PreflightError(errors);
}
