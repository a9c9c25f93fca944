import { runPreflightCommand } from '../preflight/preflight-command.js';
import { readProcessFacts } from '../preflight/process-facts.js';

process.exitCode = await runPreflightCommand({
  argv: process.argv.slice(2),
  facts: readProcessFacts(),
  now: Date.now,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
