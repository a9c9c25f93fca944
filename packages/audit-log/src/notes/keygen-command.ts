import { SetupError } from '@sallyport/plugin-kit/options';
import { generateCheckpointKey } from './checkpoint-keys.js';

const USAGE = `sallyport-audit-keygen NAME

Makes a key for the checkpoints of one audit log, and prints both halves. NAME is the origin of the checkpoints, such as
api.example.com/audit.

Keep the private key out of the database, and away from its administrators. Give the public key to everyone who verifies
the log.
`;

/** The parts of a process that the command uses. */
interface KeygenProcess {
  readonly argv: readonly string[];
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Runs the command, and returns its exit status. */
export function runKeygenCommand({ argv, write, writeError }: KeygenProcess): 0 | 2 {
  const [name, ...more] = argv;
  if (name === '--help' || name === '-h') {
    write(USAGE);
    return 0;
  }
  if (name === undefined || more.length > 0) {
    writeError(USAGE);
    return 2;
  }
  try {
    const { privateKey, publicKey } = generateCheckpointKey(name);
    write(`private ${privateKey}\npublic  ${publicKey}\n`);
    return 0;
  } catch (error) {
    writeError(`${error instanceof SetupError ? error.faults.join('; ') : String(error)}\n`);
    return 2;
  }
}
