import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.js';

/** The path of the console. */
export const CONSOLE_PATH = '/console/';

/** The page of a built console, from its folder. */
export const PAGE_FILE = 'index.html';

export function isConsoleEnabled(config: Pick<Config, 'console.enabled' | 'profile'>): boolean {
  return config['console.enabled'] ?? config.profile === 'development';
}

/** The folder of the built console, in its package. The package has it once it is built. */
export function findConsoleFolder(): string {
  return fileURLToPath(new URL('dist', import.meta.resolve('@sallyport/admin-console/package.json')));
}

export async function isConsoleBuilt(folder: string): Promise<boolean> {
  try {
    await access(join(folder, PAGE_FILE));
    return true;
  } catch {
    return false;
  }
}
