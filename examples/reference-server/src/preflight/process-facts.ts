import { url as inspectorUrl } from 'node:inspector';
import { findConsoleFolder } from '../modules/console/index.js';

/** Facts about the process. Tests can replace them. */
export interface ProcessFacts {
  /** Such as `v22.11.0`. */
  readonly nodeVersion: string;
  /** Flags of Node, from the command line and `NODE_OPTIONS`. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a debugger can attach at present. */
  readonly isInspected: boolean;
  /** Null if the system has no user ids. */
  readonly userId: number | null;
  /** The folder of the built console. */
  readonly consoleFolder: string;
}

export function readProcessFacts(): ProcessFacts {
  return {
    nodeVersion: process.version,
    flags: [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/).filter((flag) => flag !== '')],
    environment: process.env,
    isInspected: inspectorUrl() !== undefined,
    userId: process.getuid?.() ?? null,
    consoleFolder: findConsoleFolder(),
  };
}
