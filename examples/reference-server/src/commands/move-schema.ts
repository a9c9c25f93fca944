import { runMoveSchemaCommand } from './move-schema-command.js';

process.exitCode = await runMoveSchemaCommand({
  argv: process.argv.slice(2),
  env: process.env,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
