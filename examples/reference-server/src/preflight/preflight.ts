import { type Config, type ConfigInspection, inspectConfig, type Property } from '../config/config.js';
import { settingChecks, storeChecks } from './checks.js';
import { unlessPending } from './migrated-tables.js';
import { loadOwnChecks } from './own-checks.js';
import type { PreflightContext, PreflightStores } from './preflight-check.js';
import { describeItem, faultItem, type PreflightItem, SEVERITIES } from './preflight-item.js';
import type { ProcessFacts } from './process-facts.js';
import { runChecks } from './run-checks.js';
import { secretTexts, withoutSecrets } from './secret-texts.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The input of a preflight. */
export interface PreflightOptions {
  readonly config: Config;
  /** Properties that could not be read. Checks that depend on them are skipped. */
  readonly unread?: ReadonlySet<Property>;
  readonly process: ProcessFacts;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Checks the settings, before anything is opened. Never rejects. */
export async function checkSettings({ unread = new Set(), ...context }: PreflightOptions): Promise<PreflightItem[]> {
  const judged = settingChecks.filter(({ reads }) => !reads.some((property) => unread.has(property)));
  return runChecks(judged, context);
}

/** Checks the stores, and runs the deployment's own checks. Never rejects. */
export async function checkStores(
  { config, process, now }: PreflightOptions,
  stores: PreflightStores | null,
): Promise<PreflightItem[]> {
  const context: PreflightContext = { config, process, now, stores };
  const own = await loadOwnChecks(config['preflight.module']);
  return [
    ...(stores === null ? [] : await runChecks(storeChecks.map(unlessPending), { ...context, stores })),
    ...own.items,
    ...(await runChecks(own.checks, context)),
  ];
}

/** Reads the environment as production would, with the faults it contains. */
export function inspectForProduction(environment: Environment): ConfigInspection & { readonly items: PreflightItem[] } {
  const isDevelopment = environment.SERVICE_PROFILE === 'development';
  const inspection = inspectConfig(isDevelopment ? { ...environment, SERVICE_PROFILE: 'production' } : environment);
  return { ...inspection, items: [...(isDevelopment ? [DEVELOPMENT] : []), ...inspection.faults.map(faultItem)] };
}

const DEVELOPMENT: PreflightItem = {
  id: 'profile.development',
  severity: 'error',
  finding:
    'SERVICE_PROFILE is development: the test account has a documented password, keys are generated in the data folder, and everyone can read the messages',
  fix: 'unset it',
};

/** Prepares items for display: without secrets, without duplicates, the most severe first. */
export function presentable(
  items: readonly PreflightItem[],
  config: Config,
  environment?: Environment,
): readonly PreflightItem[] {
  const secrets = secretTexts(config, environment);
  const clean = items.map((item) => withoutSecrets(item, secrets));
  const once = new Map(clean.map((item) => [describeItem(item), item]));
  return SEVERITIES.flatMap((severity) => [...once.values()].filter((item) => item.severity === severity));
}

/** Production refuses to start. The message lists every error, and never the value of a secret. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError';
  readonly items: readonly PreflightItem[];
  /** @param items errors, prepared by `presentable` */
  constructor(items: readonly PreflightItem[]) {
    super(
      items.length === 1
        ? `The preflight found an error: ${describeItem(items[0]!)}`
        : `The preflight found ${items.length} errors:\n${items.map((item) => `  - ${describeItem(item)}`).join('\n')}`,
    );
    this.items = items;
  }
}
