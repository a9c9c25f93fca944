#!/usr/bin/env node
// Loaded here: where drizzle-orm is not installed, the status must be that of a log that could not be verified.
const { runVerifyCommand } = await import('./verify-command.js').catch((error: unknown) => {
  const { message } = error as Error;
  process.stderr.write(`Install drizzle-orm and postgres beside @sallyport/audit-log: ${message}\n`);
  process.exit(2);
});

process.exitCode = await runVerifyCommand({
  argv: process.argv.slice(2),
  env: process.env,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});

export {};
