import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles one file of C. Returns the program and `remove`, which deletes it, or the reason why it can't be compiled.
 */
export function compile(source, ...libraries) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const program = join(folder, 'program');
  const remove = () => rmSync(folder, { recursive: true });
  try {
    execFileSync(process.env.CC ?? 'cc', ['-O2', '-o', program, fileURLToPath(source), ...libraries], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return { program, remove };
  } catch (error) {
    remove();
    const [why] = String(error.stderr ?? error.message).split('\n');
    return { missing: why };
  }
}
