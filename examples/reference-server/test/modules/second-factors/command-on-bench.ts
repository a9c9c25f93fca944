import { runSecondFactorCommand } from '../../../src/commands/second-factor/second-factor-command.js';
import type { FactorBench } from './factor-bench.js';

/** Runs the command second-factor in this process, on the databases of the bench. */
export async function runOnBench(
  { bench }: Pick<FactorBench, 'bench'>,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const written: string[] = [];
  const errors: string[] = [];
  const status = await runSecondFactorCommand({
    argv,
    env: {
      SERVICE_PROFILE: 'development',
      SERVICE_DATA_DIR: bench.folder,
      SERVICE_DATABASE_URL: bench.config()['database-url']!,
      ...environment,
    },
    now: Date.now,
    openResources: async (config) => bench.resources(config),
    write: (text) => void written.push(text),
    writeError: (text) => void errors.push(text),
  });
  return { status, output: written.join(''), errors: errors.join('') };
}
