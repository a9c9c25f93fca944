import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The reference server, as the compiler writes it. */
export const serverEntry = new URL('../examples/reference-server/dist/server.js', import.meta.url);

/** Builds what is missing or out of date, and says so; ends the process where the build fails. */
export function build() {
  const began = Date.now();
  if (!existsSync(serverEntry))
    process.stdout.write('Building the packages and the reference server (a few seconds) …\n');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  process.stdout.write(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.\n`);
}
