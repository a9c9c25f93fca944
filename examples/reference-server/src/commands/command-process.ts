import type { Config } from '../config/config.js';
import type { Database } from '../storage/database.js';

/** The parts of a process that a command uses. */
export interface CommandProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Those of a command that works on the database alone. */
export interface DatabaseCommandProcess extends CommandProcess {
  /** The command closes what it opened. */
  readonly openDatabase: (config: Config) => Promise<Database>;
}
