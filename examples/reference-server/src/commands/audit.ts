import { openDatabase } from '../storage/resources.js';
import { runAuditCommand } from './audit-command.js';

process.exitCode = await runAuditCommand({
  argv: process.argv.slice(2),
  env: process.env,
  now: Date.now,
  openDatabase,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
