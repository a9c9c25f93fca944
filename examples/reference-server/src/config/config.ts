import { closestName } from '@sallyport/plugin-kit/options';
import { type ConfigFault, combinationFaults } from './combination-rules.js';
import { ConfigError } from './config-error.js';
import { SettingFault } from './setting-types.js';
import { type Config, type Property, type Setting, settings, variableOf } from './settings.js';

export { ConfigError } from './config-error.js';
export { inVariables } from './plugin-faults.js';
export { type Config, MAX_BCRYPT_COST, type Property, settingRows, variableOf } from './settings.js';

const PREFIX = 'SERVICE_';

/** A fault of one variable, never with its value. */
export interface VariableFault {
  readonly variable: string;
  /** Null if there is no such setting. */
  readonly property: Property | null;
  readonly reason: string;
  readonly fix: string;
}

/** The readable part of the configuration. */
export interface ConfigInspection {
  /** Properties that could not be read have their defaults. */
  readonly config: Config;
  readonly unread: ReadonlySet<Property>;
  readonly faults: readonly VariableFault[];
}

/**
 * Reads the configuration from `SERVICE_*` variables (OPS-10).
 *
 * @throws {ConfigError} with every fault at once. An unknown variable is a fault too: a misspelt name must not silently
 * leave a protection off.
 */
export function readConfig(environment: Environment): Config {
  const { config, faults } = inspectConfig(environment);
  if (faults.length > 0) throw new ConfigError(faults.map(describeFault));
  return config;
}

/** Reads the configuration and returns its faults instead of throwing them. */
export function inspectConfig(environment: Environment): ConfigInspection {
  const faults: VariableFault[] = [...unknownNames(environment)];
  const values: Partial<Record<Property, unknown>> = {};
  for (const property of Object.keys(settings) as Property[]) {
    const outcome = readSetting(property, environment[variableOf(property)]);
    if (outcome.fault === null) values[property] = outcome.value;
    else faults.push(ofVariable(outcome.fault));
  }
  // The combination rules need a complete configuration. Unreadable properties have their defaults.
  const config = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([property, { default: value }]) => [
      property,
      values[property as Property] ?? value,
    ]),
  ) as Config;
  const unread = new Set((Object.keys(settings) as Property[]).filter((property) => !(property in values)));
  const combined = combinationFaults(config).filter(({ property }) => !unread.has(property));
  return { config: Object.freeze(config), unread, faults: [...faults, ...combined.map(ofVariable)] };
}

type Environment = Readonly<Record<string, string | undefined>>;

type Outcome = { readonly value: unknown; readonly fault: null } | { readonly fault: ConfigFault };

function readSetting(property: Property, text: string | undefined): Outcome {
  const setting: Setting<unknown> = settings[property];
  if (text === undefined) return { value: setting.default, fault: null };
  if (text === '') return { fault: { property, reason: 'is set, but empty', fix: 'unset it, or give it a value' } };
  try {
    return { value: setting.type.read(text), fault: null };
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    return { fault: { property, reason: error.message, fix: error.fix } };
  }
}

function* unknownNames(environment: Environment): Iterable<VariableFault> {
  const known = (Object.keys(settings) as Property[]).map(variableOf);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(PREFIX) || environment[name] === undefined || known.includes(name)) continue;
    const suggestion = closestName(name, known);
    const fix = suggestion === null ? 'see --help for the list' : `did you mean ${suggestion}?`;
    yield { variable: name, property: null, reason: 'is not a known variable', fix };
  }
}

function ofVariable({ property, reason, fix }: ConfigFault): VariableFault {
  return { variable: variableOf(property), property, reason, fix };
}

function describeFault({ variable, reason, fix }: VariableFault): string {
  return `${variable} ${reason}; ${fix}`;
}
