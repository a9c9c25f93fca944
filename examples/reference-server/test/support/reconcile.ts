import { runAuditCommand } from '../../src/commands/audit-command.js';
import type { TestBench } from './test-app.js';

/** Runs the command `reconcile` on the database of a bench. */
export async function runReconcile({ openDatabase, folder }: TestBench, ...options: readonly string[]) {
  let output = '';
  let errors = '';
  const status = await runAuditCommand({
    argv: ['reconcile', ...options],
    env: { SERVICE_PROFILE: 'development', SERVICE_DATA_DIR: folder },
    now: Date.now,
    openDatabase,
    write: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { status, output, errors };
}
