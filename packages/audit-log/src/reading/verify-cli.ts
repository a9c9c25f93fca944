#!/usr/bin/env node
// Loaded here, so that the exit status is that of a log that could not be verified if drizzle-orm is not installed.
const { runVerifyCommand } = await import('./verify-command.js').catch((error: unknown) => {
  const { message } = error as Error;
  process.stderr.write(`Install drizzle-orm and postgres together with @sallyport/audit-log: ${message}\n`);
  process.exit(2);
});

process.exitCode = await runVerifyCommand({
  argv: process.argv.slice(2),
  env: process.env,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});

export {};
