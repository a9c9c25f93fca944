import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { type Config, readConfig } from '../../config/config.js';
import type { FactorCommand, FactorCommandResult } from '../../modules/second-factors/index.js';
import { askServerOr } from '../../storage/control-channel.js';
import { failureText } from '../../storage/failure-text.js';
import type { Resources } from '../../storage/opened-resources.js';
import type { CommandProcess } from '../command-process.js';
import { openAndRun } from './open-and-run.js';

const USAGE = `node dist/commands/second-factor.js reset --username NAME [--app-user]
node dist/commands/second-factor.js code --username NAME [--app-user]

reset removes all second factors of an account and ends its sessions. Its days of grace begin again. code prints a code
with which the account can enrol its first factor after them, once, within 24 hours. With --app-user, NAME is the mobile
number of an app user.

It reads the environment of the server, and records what it does in the audit log. With the embedded database it asks
the running server, or opens the database if none runs; run it as the user that runs the server.

Exit status: 0 success; 2 the command failed.
`;

const ACTIONS = ['reset', 'code'] as const;

/** The parts of a process that the command uses. */
export interface SecondFactorCommandProcess extends CommandProcess {
  /** The command closes what it opened. */
  readonly openResources: (config: Config) => Promise<Resources>;
}

/** Lets the last full administrator back in, for the operator of the machine (MFA-4). Resolves to the exit status. */
export async function runSecondFactorCommand(process: SecondFactorCommandProcess): Promise<0 | 2> {
  try {
    const request = readRequest(process.argv);
    if (request === null) {
      process.write(USAGE);
      return 0;
    }
    const config = readConfig(process.env);
    process.write(describe(request, await carryOut(process, config, request)));
    return 0;
  } catch (error) {
    process.writeError(`The command failed. ${failureText(error)}\n`);
    return 2;
  }
}

/** Null if help was requested. */
function readRequest(argv: readonly string[]): FactorCommand | null {
  const { values, positionals } = readCommandLine(argv, {
    options: {
      username: { type: 'string' },
      'app-user': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    words: ACTIONS,
  });
  if (values.help) return null;
  const action = ACTIONS.find((each) => each === positionals[0]);
  const { username } = values;
  if (action === undefined || username === undefined) {
    throw new TypeError(`Expected ${ACTIONS.join(' or ')}, and --username NAME; see --help.`);
  }
  return { command: 'second-factor', action, audience: values['app-user'] ? 'app' : 'admin', username };
}

/** Only the process that has the embedded database open can write to it. */
async function carryOut(
  process: SecondFactorCommandProcess,
  config: Config,
  request: FactorCommand,
): Promise<FactorCommandResult> {
  const carryOutHere = () => openAndRun(process, config, request);
  return config['database-url'] === null ? askServerOr(config['data-dir'], request, carryOutHere) : carryOutHere();
}

function describe({ username, action }: FactorCommand, { code, expiresAt }: FactorCommandResult): string {
  if (action === 'reset') return `The second factors of '${username}' are removed, and its sessions are ended.\n`;
  const until = expiresAt === null ? '' : `, valid until ${new Date(expiresAt).toISOString()}`;
  return `Enrolment code of '${username}', shown only once${until}:\n${code}\n`;
}
