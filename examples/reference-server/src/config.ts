import { closestName } from './config/closest-name.js';
import { type ConfigFault, combinationFaults } from './config/combination-rules.js';
import { ConfigError } from './config/config-error.js';
import { SettingFault } from './config/setting-types.js';
import { type Config, type Property, type Setting, settings, variableOf } from './config/settings.js';

export { ConfigError } from './config/config-error.js';
export { inVariables } from './config/plugin-faults.js';
export { type Config, settingRows } from './config/settings.js';

const PREFIX = 'SERVICE_';

/**
 * Reads the configuration from `SERVICE_*` variables (OPS-10).
 * @throws {ConfigError} with every fault at once. A variable that isn't known is a fault too: a slip in a name must not
 * silently leave a protection off.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults = [...unknownNames(environment)];
  const values: Partial<Record<Property, unknown>> = {};
  for (const property of Object.keys(settings) as Property[]) {
    const outcome = readSetting(property, environment[variableOf(property)]);
    if (outcome.fault === null) values[property] = outcome.value;
    else faults.push(describe(outcome.fault));
  }
  // The rules on combinations need a whole configuration: a property that could not be read is judged as its default.
  const judged = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([property, { default: value }]) => [
      property,
      values[property as Property] ?? value,
    ]),
  ) as Config;
  const unread = (property: Property) => !(property in values);
  faults.push(
    ...combinationFaults(judged)
      .filter(({ property }) => !unread(property))
      .map(describe),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(judged);
}

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

function* unknownNames(environment: Readonly<Record<string, string | undefined>>): Iterable<string> {
  const known = (Object.keys(settings) as Property[]).map(variableOf);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(PREFIX) || environment[name] === undefined || known.includes(name)) continue;
    const suggestion = closestName(name, known);
    yield `${name} is not a known variable; ${suggestion === null ? 'see --help for the list' : `did you mean ${suggestion}?`}`;
  }
}

function describe({ property, reason, fix }: ConfigFault): string {
  return `${variableOf(property)} ${reason}; ${fix}`;
}
