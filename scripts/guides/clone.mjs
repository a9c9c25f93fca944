// A clone of the repository, as a reader has it, with the changes that are not committed yet.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFiles } from '../publishing/manifests.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} folder is created */
export function cloneRepository(folder) {
  for (const path of repositoryFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
}
