import { url as inspectorUrl } from 'node:inspector';

/** What can be told of a process, so that tests can tell something else. */
export interface ProcessFacts {
  /** Such as `v22.11.0`. */
  readonly nodeVersion: string;
  /** Flags of Node, from the command line and `NODE_OPTIONS`. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether somebody can attach a debugger at this moment. */
  readonly isInspected: boolean;
  /** Null where the system knows no such thing. */
  readonly userId: number | null;
}

export function readProcessFacts(): ProcessFacts {
  return {
    nodeVersion: process.version,
    flags: [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/).filter((flag) => flag !== '')],
    environment: process.env,
    isInspected: inspectorUrl() !== undefined,
    userId: process.getuid?.() ?? null,
  };
}
