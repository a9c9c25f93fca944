import { createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { loginPolicyParameters, type StillLocked } from '@sallyport/login-policy';
import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { type Config, readConfig } from '../config/config.js';
import { renewalBy } from '../modules/accounts/index.js';
import { auditChain } from '../modules/audit-records/index.js';
import { openPolicies, type UnlockRequest, unlock } from '../modules/login-policy/index.js';
import { openStoredCodes } from '../modules/one-time-codes/index.js';
import { storedParameters } from '../preflight/stored-parameters.js';
import { deriveKey, loadTokenKeys } from '../protection/token-keys.js';
import { createChanges } from '../storage/changes.js';
import { askServerOr } from '../storage/control-channel.js';
import { failureText } from '../storage/failure-text.js';
import type { Resources } from '../storage/opened-resources.js';
import type { CommandProcess } from './command-process.js';

const USAGE = `node dist/commands/unlock.js --username NAME [--terminal TERMINAL]
node dist/commands/unlock.js --address IP

Clears the failed sign-ins of a name at a terminal, or those of an address over all names, and prints the locks of the
name that remain. The device tokens of the name end, and an
account that was not used for long may sign in again. NAME may be the mobile number of an app user, with a terminal of
app users: then its codes and their sending are freed, too. The default terminal is the first of
SERVICE_ADMIN_AUTH_TERMINALS.

It reads the environment of the server, and records what it does in the audit log. With the embedded database it asks
the running server, or opens the database if none runs; run it as the user that runs the server.

Exit status: 0 success; 2 the command failed.
`;

/** The parts of a process that the command uses. */
export interface UnlockCommandProcess extends CommandProcess {
  /** The command closes what it opened. */
  readonly openResources: (config: Config) => Promise<Resources>;
}

/** Ends locks of failed sign-ins, for the operator of the machine (LGN-11). Resolves to the exit status. */
export async function runUnlockCommand(process: UnlockCommandProcess): Promise<0 | 2> {
  try {
    const request = readRequest(process.argv);
    if (request === null) {
      process.write(USAGE);
      return 0;
    }
    const config = readConfig(process.env);
    process.write(describe(config, request, await carryOut(process, config, request)));
    return 0;
  } catch (error) {
    process.writeError(`The command failed. ${failureText(error)}\n`);
    return 2;
  }
}

/** Null if help was requested. */
function readRequest(argv: readonly string[]): UnlockRequest | null {
  const { values } = readCommandLine(argv, {
    options: {
      username: { type: 'string' },
      terminal: { type: 'string' },
      address: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { username, terminal, address, help } = values;
  if (help) return null;
  if (username !== undefined && address === undefined) return { username, ...(terminal && { terminal }) };
  if (address !== undefined && username === undefined && terminal === undefined) return { address };
  throw new TypeError('Expected --username NAME [--terminal TERMINAL], or --address IP; see --help.');
}

/** Only the process that has the embedded database open can write to it. */
async function carryOut(
  process: UnlockCommandProcess,
  config: Config,
  request: UnlockRequest,
): Promise<readonly StillLocked[]> {
  const carryOutHere = () => openAndUnlock(process, config, request);
  return config['database-url'] === null ? askServerOr(config['data-dir'], request, carryOutHere) : carryOutHere();
}

async function openAndUnlock(
  { openResources, now }: UnlockCommandProcess,
  config: Config,
  request: UnlockRequest,
): Promise<readonly StillLocked[]> {
  const { database, stores, close } = await openResources(config);
  try {
    const parameters = storedParameters(database);
    const readPolicy = () => parameters.read(loginPolicyParameters);
    const policies = openPolicies({ config, store: stores.sessions, readPolicy });
    // The server makes the checkpoint which covers the record.
    const auditSink = createPostgresAuditSink(await auditChain(config, database));
    async function clearCodes(mobile: string) {
      const { signingKey } = await loadTokenKeys(config);
      return openStoredCodes({ store: stores.sessions, key: deriveKey(signingKey, 'sms-codes') }).clear(mobile);
    }
    const renew = renewalBy(createChanges(database, auditSink, () => {}));
    const stillLocked = await unlock({ config, policies, auditSink, now, clearCodes, renew }, request);
    await auditSink.close();
    return stillLocked;
  } finally {
    await close();
  }
}

function describe(config: Config, request: UnlockRequest, stillLocked: readonly StillLocked[]): string {
  if ('address' in request) return `The failed sign-ins from the address ${request.address} are cleared.\n`;
  const terminal = request.terminal ?? config['admin.auth.terminals'][0];
  const lines = stillLocked.map(({ address, lockedUntil }) => {
    const until = new Date(lockedUntil).toISOString();
    const option = address === null ? '' : `; to free it: --address ${address.replace(/\/\d+$/, '')}`;
    return `Still locked: the address ${address}, for all names, until ${until}${option}\n`;
  });
  const done = `The failed sign-ins of '${request.username}' at the terminal '${terminal}' are cleared.\n`;
  return done + (lines.length === 0 ? 'No known lock of this name remains.\n' : lines.join(''));
}
