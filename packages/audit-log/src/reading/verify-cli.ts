#!/usr/bin/env node
import { runVerifyCommand } from './verify-command.js';

process.exitCode = await runVerifyCommand({
  argv: process.argv.slice(2),
  env: process.env,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
