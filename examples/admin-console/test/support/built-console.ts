import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const COMMAND = fileURLToPath(new URL('../../build.mjs', import.meta.url));

/** Builds the console as its command does, if its sources have changed. */
export async function buildConsole(): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name)));
  await promisify(execFile)(process.execPath, [COMMAND], { env });
}
