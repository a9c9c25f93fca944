// `pnpm start`: builds what is missing or out of date, then runs the reference server in this process.
// Only this command defaults to the development profile. The server itself defaults to production.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from './build.mjs';

const { argv, env } = process;
env.SERVICE_PROFILE ??= 'development';
// A start with a word shows the help, or is refused.
const isServing = argv.length === 2;
if (isServing && (env.SERVICE_CONSOLE_ENABLED ?? `${env.SERVICE_PROFILE === 'development'}`) === 'true') buildConsole();
build();
await import(serverEntry.href);

/** Builds the console while the server starts. Until then the server shows a page that says so. */
function buildConsole() {
  const command = fileURLToPath(new URL('../examples/admin-console/build.mjs', import.meta.url));
  const child = spawn(process.execPath, [command], { stdio: ['ignore', 'inherit', 'inherit'] });
  // The server comes first. A child that has ended already needs no priority.
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
  child.unref();
}
