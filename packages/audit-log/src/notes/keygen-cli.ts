#!/usr/bin/env node
import { runKeygenCommand } from './keygen-command.js';

process.exitCode = runKeygenCommand({
  argv: process.argv.slice(2),
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
