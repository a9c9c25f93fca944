// `pnpm sign-in`: the command of the reference server, which `pnpm start` builds.
import { existsSync } from 'node:fs';

const command = new URL('../examples/reference-server/dist/commands/sign-in.js', import.meta.url);
if (existsSync(command)) await import(command.href);
else {
  process.stderr.write(
    'The sign-in failed. The server is not built yet: start it with `pnpm start` in another terminal.\n',
  );
  process.exitCode = 2;
}
