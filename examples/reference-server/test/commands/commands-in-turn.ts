import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The address of a built command, and the words of its command line. */
export interface CommandRun {
  readonly command: string;
  readonly words: readonly string[];
}

export interface EndedCommand {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs commands in one process, one after the other: each process would load the same modules for seconds.
 *
 * @param loader of sources, as arguments of node. Default: the commands are built.
 */
export function runInTurn(
  runs: readonly CommandRun[],
  env: NodeJS.ProcessEnv,
  loader: readonly string[] = [],
): readonly EndedCommand[] {
  const program = fileURLToPath(new URL('in-turn.mjs', import.meta.url));
  const words = [...loader, program, JSON.stringify(runs)];
  const { stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as readonly EndedCommand[];
}
