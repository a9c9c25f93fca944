import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import type { ParameterValue } from '@sallyport/system-parameters';
import { type Config, readConfig } from '../../config/config.js';
import {
  differencesFrom,
  type PolicyProfile,
  PROFILE_NAMES,
  type ProfileName,
  policyProfiles,
} from '../../preflight/policy-profiles.js';
import { profileValues } from '../../preflight/profile-definitions.js';
import { storedParameters } from '../../preflight/stored-parameters.js';
import type { Database } from '../../storage/database.js';
import { failureText } from '../../storage/failure-text.js';
import type { DatabaseCommandProcess } from '../command-process.js';
import { applyProfile } from './apply-profile.js';

const USAGE = `node dist/commands/policy.js ${PROFILE_NAMES.join('|')} [--compare | --apply]

Shows the parameters of a profile next to those in force, and what the profile asks for that no parameter can give.

--compare  the same; the exit status says whether the profile is satisfied
--apply    sets the parameters that do not satisfy it, each with a record in the audit log; the running servers follow
           within 2 s

It reads the environment of the server. Stop the server first if it uses the embedded database.

Exit status: 0 success, 1 --compare found a difference, 2 the command failed.
`;

/** Shows, compares and sets the parameters of a profile (PWD-7). Resolves to the exit status. */
export async function runPolicyCommand(process: DatabaseCommandProcess): Promise<0 | 1 | 2> {
  try {
    const request = readRequest(process.argv);
    if (request === null) {
      process.write(USAGE);
      return 0;
    }
    const config = readConfig(process.env);
    const database = await process.openDatabase(config);
    try {
      return await carryOut(process, { ...request, config, database });
    } finally {
      await database.close();
    }
  } catch (error) {
    process.writeError(`The command failed. ${failureText(error)}\n`);
    return 2;
  }
}

interface PolicyRequest {
  readonly profile: PolicyProfile;
  readonly action: 'show' | 'compare' | 'apply';
}

/** Null if help was requested. */
function readRequest(argv: readonly string[]): PolicyRequest | null {
  const { values, positionals } = readCommandLine(argv, {
    options: {
      compare: { type: 'boolean', default: false },
      apply: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    words: PROFILE_NAMES,
  });
  if (values.help) return null;
  const [name] = positionals;
  if (name === undefined || (values.compare && values.apply)) {
    throw new TypeError(`Expected ${PROFILE_NAMES.join(', ')}, and --compare or --apply; see --help.`);
  }
  const action = values.apply ? 'apply' : values.compare ? 'compare' : 'show';
  return { profile: policyProfiles[name as ProfileName], action };
}

interface OpenedRequest extends PolicyRequest {
  readonly config: Config;
  readonly database: Database;
}

async function carryOut(
  { now, write }: DatabaseCommandProcess,
  { profile, action, config, database }: OpenedRequest,
): Promise<0 | 1> {
  const before = await profileValues(storedParameters(database));
  const differences = differencesFrom(profile, before);
  write(describe(profile, before));
  if (action !== 'apply') {
    write(differences.length === 0 ? 'The profile is satisfied.\n' : `${differences.length} to set.\n`);
    return action === 'compare' && differences.length > 0 ? 1 : 0;
  }
  const rules = differences.map(({ rule }) => rule);
  await applyProfile({ config, database, now }, rules, ({ key, value }) => write(`Set: ${key} = ${value}\n`));
  write('The profile is satisfied.\n');
  return 0;
}

function describe(profile: PolicyProfile, inForce: ReadonlyMap<string, ParameterValue>): string {
  const { name, source, rules, notCovered } = profile;
  const width = Math.max(...rules.map(({ key }) => key.length));
  const different = new Set(differencesFrom(profile, inForce).map(({ rule }) => rule));
  const lines = rules.map((rule) => {
    const mark = different.has(rule) ? '!' : ' ';
    return `${mark} ${rule.key.padEnd(width)}  ${String(rule.value).padEnd(8)}  ${String(inForce.get(rule.key))}\n`;
  });
  const head = `  ${'parameter'.padEnd(width)}  ${'profile'.padEnd(8)}  in force\n`;
  const gaps = notCovered.map((gap) => `- ${gap}\n`);
  return `Profile ${name}: ${source}.\n\n${head}${lines.join('')}\nNot covered:\n${gaps.join('')}\n`;
}
