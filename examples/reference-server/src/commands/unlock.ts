import { openResources } from '../storage/resources.js';
import { runUnlockCommand } from './unlock-command.js';

process.exitCode = await runUnlockCommand({
  argv: process.argv.slice(2),
  env: process.env,
  now: Date.now,
  openResources,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
