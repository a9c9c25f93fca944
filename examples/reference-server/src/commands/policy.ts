import { openDatabase } from '../storage/resources.js';
import { runPolicyCommand } from './policy/policy-command.js';

process.exitCode = await runPolicyCommand({
  argv: process.argv.slice(2),
  env: process.env,
  now: Date.now,
  openDatabase,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
