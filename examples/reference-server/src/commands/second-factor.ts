import { openResources } from '../storage/resources.js';
import { runSecondFactorCommand } from './second-factor/second-factor-command.js';

process.exitCode = await runSecondFactorCommand({
  argv: process.argv.slice(2),
  env: process.env,
  now: Date.now,
  openResources,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
