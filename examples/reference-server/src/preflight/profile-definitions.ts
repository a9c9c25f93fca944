import type { ParameterValue } from '@sallyport/system-parameters';
import { captcha } from '../modules/captcha/index.js';
import { inactivity } from '../modules/inactivity/index.js';
import { loginPolicy } from '../modules/login-policy/index.js';
import { passwords } from '../modules/passwords/index.js';
import { secondFactors } from '../modules/second-factors/index.js';
import { sessions } from '../modules/sessions/index.js';
import type { StoredParameters } from './stored-parameters.js';

/** The tables of the parameters that profiles set, with the rules between them. */
export const profileTables = [passwords, inactivity, loginPolicy, secondFactors, captcha, sessions].flatMap(
  ({ parameters = [] }) => parameters,
);

const definitions = profileTables.flatMap((table) => Object.values(table.definitions));

/** The defaults by key. */
export const profileDefaults: ReadonlyMap<string, ParameterValue> = new Map(
  definitions.map(({ key, default: value }) => [key, value]),
);

/** The values in force by key. */
export async function profileValues(parameters: StoredParameters): Promise<ReadonlyMap<string, ParameterValue>> {
  const byKey = Object.fromEntries(definitions.map((definition) => [definition.key, definition]));
  return new Map(Object.entries(await parameters.read(byKey)));
}
