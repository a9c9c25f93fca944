import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { type Config, readConfig } from '../../config/config.js';
import type {
  AccountFactorCommand,
  AccountFactorResult,
  FactorCommand,
  FactorCommandResult,
  ReencryptCommand,
  ReencryptedBatch,
} from '../../modules/second-factors/index.js';
import { askServerOr } from '../../storage/control-channel.js';
import { failureText } from '../../storage/failure-text.js';
import type { Resources } from '../../storage/opened-resources.js';
import type { CommandProcess } from '../command-process.js';
import { openAndRun } from './open-and-run.js';

const USAGE = `node dist/commands/second-factor.js reset --username NAME [--app-user]
node dist/commands/second-factor.js code --username NAME [--app-user]
node dist/commands/second-factor.js reencrypt

reset removes all second factors of an account and ends its sessions. Its days of grace begin again. code prints a code
with which the account can enrol its first factor after them, once, within 24 hours. With --app-user, NAME is the mobile
number of an app user.

reencrypt encrypts the secrets of authenticator apps that are still under a key of
SERVICE_AUTH_SECOND_FACTOR_PREVIOUS_KEYS with SERVICE_AUTH_SECOND_FACTOR_KEY. Run it when all servers have had the new
key for ten minutes; then the earlier one can be dropped. It can be stopped, and run again.

It reads the environment of the server, and records what it does in the audit log. With the embedded database it asks
the running server, or opens the database if none runs; run it as the user that runs the server.

Exit status: 0 success; 2 the command failed, or a secret could not be decrypted.
`;

const ACCOUNT_ACTIONS = ['reset', 'code'] as const;
const REENCRYPT = 'reencrypt';

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
    if (request.action === REENCRYPT) return await reencryptAll(process, config, request);
    const result = await carryOut(process, config, (run) => run(request) as Promise<AccountFactorResult>);
    process.write(describe(request, result));
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
    words: [...ACCOUNT_ACTIONS, REENCRYPT],
  });
  if (values.help) return null;
  const action = ACCOUNT_ACTIONS.find((each) => each === positionals[0]);
  const { username } = values;
  if (positionals[0] === REENCRYPT && username === undefined && !values['app-user']) {
    return { command: 'second-factor', action: REENCRYPT, after: null };
  }
  if (action === undefined || username === undefined) {
    throw new TypeError(`Expected ${ACCOUNT_ACTIONS.join(' or ')} with --username NAME, or ${REENCRYPT}; see --help.`);
  }
  return { command: 'second-factor', action, audience: values['app-user'] ? 'app' : 'admin', username };
}

type Run = (request: FactorCommand) => Promise<FactorCommandResult>;

/**
 * Runs the work with commands that the running server answers, or else on the databases. Only the process that has the
 * embedded database open can write to it.
 */
async function carryOut<Result>(
  process: SecondFactorCommandProcess,
  config: Config,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  if (config['database-url'] !== null) return openAndRun(process, config, work);
  const folder = config['data-dir'];
  return work((request) => askServerOr(folder, request, () => openAndRun(process, config, (run) => run(request))));
}

/** Runs batches until none is left. Resolves to the exit status. */
async function reencryptAll(
  process: SecondFactorCommandProcess,
  config: Config,
  request: ReencryptCommand,
): Promise<0 | 2> {
  const unreadable: string[] = [];
  await carryOut(process, config, async (run) => {
    let reencrypted = 0;
    let after: string | null = null;
    do {
      const batch = (await run({ ...request, after })) as ReencryptedBatch;
      reencrypted += batch.reencrypted;
      unreadable.push(...batch.unreadable);
      after = batch.next;
    } while (after !== null);
    process.write(`Encrypted with the present key: ${reencrypted}.\n`);
  });
  if (unreadable.length === 0) return 0;
  process.writeError(`No key decrypts the secret of: ${unreadable.join(', ')}.\n`);
  return 2;
}

function describe({ username, action }: AccountFactorCommand, { code, expiresAt }: AccountFactorResult): string {
  if (action === 'reset') return `The second factors of '${username}' are removed, and its sessions are ended.\n`;
  const until = expiresAt === null ? '' : `, valid until ${new Date(expiresAt).toISOString()}`;
  return `Enrolment code of '${username}', shown only once${until}:\n${code}\n`;
}
