import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBuildState } from '../../../examples/reference-server/src/modules/console/build-state.js';
import { releaseLock, takeLock } from '../../build-lock.mjs';

const CONTENDER = fileURLToPath(new URL('contender.mjs', import.meta.url));

let root: string;
let lock: string;
let endedPid: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-lock-'));
  lock = join(root, 'lock');
  endedPid = spawnSync(process.execPath, ['--version']).pid;
});
afterEach(() => rmSync(root, { recursive: true }));

it('CON-1 of processes that take over an abandoned lock, one has it at a time', { timeout: 120_000 }, async () => {
  writeFileSync(lock, `${endedPid}-first`);
  const contenders = [1, 2, 3].map(() =>
    spawn(process.execPath, [CONTENDER, lock, String(endedPid), '300'], { stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const outcomes = await Promise.all(
    contenders.map(async (contender) => {
      let errors = '';
      contender.stderr?.on('data', (chunk) => {
        errors += String(chunk);
      });
      const [status] = await once(contender, 'close');
      // The others would wait for a lock that is never free again.
      if (status !== 0) for (const other of contenders) other.kill();
      return { status, errors };
    }),
  );
  expect(outcomes).toEqual(contenders.map(() => ({ status: 0, errors: '' })));
  expect(readdirSync(root)).toEqual(['lock']);
});

it('CON-1 a lock is taken over from a process that ended, or ended while it took over another one', () => {
  for (const claim of [null, `${endedPid}-claimant`]) {
    writeFileSync(lock, `${endedPid}-holder`);
    if (claim !== null) writeFileSync(`${lock}.${endedPid}-holder.claim`, claim);
    expect(takeLock(lock)).toBe(true);
    expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid}-`));
    expect(readdirSync(root)).toEqual(['lock']);
    expect(takeLock(lock)).toBe(false);
    releaseLock(lock);
    expect(readdirSync(root)).toEqual([]);
  }
});

it('CON-1 a lock is left alone while its process runs, and while another process takes it over', () => {
  writeFileSync(lock, `${process.ppid}-running`);
  expect(takeLock(lock)).toBe(false);
  writeFileSync(lock, `${endedPid}-holder`);
  writeFileSync(`${lock}.${endedPid}-holder.claim`, `${process.ppid}-claimant`);
  expect(takeLock(lock)).toBe(false);
  expect(readFileSync(lock, 'utf8')).toBe(`${endedPid}-holder`);
});

it('CON-1 a process releases only what it holds', () => {
  expect(takeLock(lock)).toBe(true);
  writeFileSync(lock, `${process.ppid}-successor`);
  releaseLock(lock);
  expect(readdirSync(root)).toEqual(['lock']);
});

it('CON-1 the server knows a lock that is held as the build command does, and forgets it when it is old', async () => {
  const notes = join(root, '.build', 'lock');
  const folder = join(root, 'dist');
  mkdirSync(join(root, '.build'));
  expect(takeLock(notes)).toBe(true);
  expect(await readBuildState(folder)).toBe('building');
  // A build takes no five minutes: the process id is another's by now.
  const old = Date.now() / 1000 - 301;
  utimesSync(notes, old, old);
  expect(await readBuildState(folder)).toBe('missing');
  expect(takeLock(notes)).toBe(true);
  releaseLock(notes);
  writeFileSync(notes, `${endedPid}-ended`);
  expect(await readBuildState(folder)).toBe('missing');
});
