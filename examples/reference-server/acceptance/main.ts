import { runAcceptanceCommand } from './acceptance-command.js';
import { acceptanceChecks } from './checks.js';
import { createLineInput } from './line-input.js';

const interruption = new AbortController();
const input = createLineInput(process.stdin, process.stderr, () => interrupt('SIGINT'));

function interrupt(signal: NodeJS.Signals): void {
  // A second signal ends the process without waiting for the deletions.
  if (interruption.signal.aborted) process.exit(2);
  process.stderr.write(`${signal}: deleting what was made; once more ends at once, and leaves it\n`);
  interruption.abort(new Error('interrupted'));
  // No answer is awaited any more.
  input.close();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

process.exitCode = await runAcceptanceCommand({
  argv: process.argv.slice(2),
  env: process.env,
  checks: acceptanceChecks,
  ask: input.ask,
  signal: interruption.signal,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
input.close();
