import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { isDriverMended } from '../../src/storage/driver-probe.js';

const patch = fileURLToPath(new URL('../../../../packages/idempotency/patches/postgres@3.4.9.patch', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'driver-probe-'));

describe('the driver without its patch', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('REL-16 is told by what it does, and the process goes on', async () => {
    const installed = join(dirname(realpathSync(createRequire(import.meta.url).resolve('postgres'))), '..', '..');
    cpSync(installed, folder, { recursive: true });
    execFileSync('git', ['apply', '--reverse', patch], { cwd: folder });
    const unmended = (await import(pathToFileURL(join(folder, 'src/index.js')).href)).default as typeof postgres;
    const unmendedByRequire = createRequire(import.meta.url)(join(folder, 'cjs/src/index.js')) as typeof postgres;
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', note).on('unhandledRejection', note);
    try {
      const began = performance.now();
      expect(await isDriverMended(unmended)).toBe(false);
      expect(await isDriverMended(unmendedByRequire)).toBe(false);
      expect(await isDriverMended(postgres)).toBe(true);
      // None of these is the time limit.
      expect(performance.now() - began).toBeLessThan(5000);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', note).off('unhandledRejection', note);
    }
  });
});
