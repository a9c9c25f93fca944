import { runHashPasswordsCommand } from './hash-passwords-command.js';

process.exitCode = await runHashPasswordsCommand({
  argv: process.argv.slice(2),
  input: process.stdin,
  output: process.stdout,
  writeError: (text) => void process.stderr.write(text),
});
