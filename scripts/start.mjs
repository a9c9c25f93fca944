// `pnpm start`: builds what is missing or out of date, then runs the reference server in this process.
// The development profile is this command's default alone; the server itself takes production for granted.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.env.SERVICE_PROFILE ??= 'development';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = new URL('../examples/reference-server/dist/server.js', import.meta.url);

const began = Date.now();
if (!existsSync(entry)) process.stdout.write('Building the packages and the reference server (a few seconds) …\n');
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const build = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);
process.stdout.write(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s. Starting …\n`);

await import(entry.href);
