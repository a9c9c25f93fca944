import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepSecret, lockDataFolder, openDataFolder } from '../../src/storage/data-folder.js';

describe('data folder', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sallyport-folder-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('OPS-9 is created, and closed to other users even if it was open before', async () => {
    const made = await openDataFolder(join(parent, 'a', 'b'));
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    await mkdir(join(parent, 'open'), { mode: 0o755 });
    const tightened = await openDataFolder(join(parent, 'open'));
    expect((await stat(tightened)).mode & 0o777).toBe(0o700);
  });

  it('OPS-9 exactly one of many parallel locks succeeds, and the refusal says what to do', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => lockDataFolder(parent)));
    const got = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(got).toHaveLength(1);
    for (const { reason } of refused) expect(String(reason)).toContain('SERVICE_DATA_DIR');
    await got[0]!.value();
    await (await lockDataFolder(parent))();
  });

  it('OPS-9 exactly one process takes over the lock of a crashed process at once', async () => {
    const dead = spawn('true');
    await once(dead, 'exit');
    await mkdir(join(parent, 'database.lock'));
    await writeFile(join(parent, 'owner.json'), JSON.stringify({ pid: dead.pid, host: hostname() }));
    const outcomes = await Promise.allSettled([lockDataFolder(parent), lockDataFolder(parent)]);
    const got = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(got).toHaveLength(1);
    await got[0]!.value();
  });

  it('OPS-9 a lock whose owner is running on this machine is refused at once', async () => {
    const living = spawn('sleep', ['60']);
    await once(living, 'spawn');
    await mkdir(join(parent, 'database.lock'));
    await writeFile(join(parent, 'owner.json'), JSON.stringify({ pid: living.pid, host: hostname() }));
    await expect(lockDataFolder(parent)).rejects.toThrow(`in use by another process (pid ${living.pid} on `);
    living.kill();
  });

  it('OPS-9 the lock of another machine is respected while it is renewed, and taken over when it is stale', async () => {
    const lock = join(parent, 'database.lock');
    await mkdir(lock);
    await writeFile(join(parent, 'owner.json'), JSON.stringify({ pid: 999_999_999, host: `not-${hostname()}` }));
    const touching = setInterval(() => void utimes(lock, new Date(), new Date()), 200);
    await expect(lockDataFolder(parent, 2000)).rejects.toThrow('in use by another process (pid 999999999 on not-');
    clearInterval(touching);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    await (await lockDataFolder(parent))();
  });

  it('TOK-4 a secret file is created once, kept, and readable by its owner only', async () => {
    let made = 0;
    const make = () => {
      made += 1;
      return `secret ${made}`;
    };
    const texts = await Promise.all(Array.from({ length: 5 }, () => keepSecret(parent, 'key', make)));
    expect(new Set(texts).size).toBe(1);
    expect(await keepSecret(parent, 'key', make)).toBe(texts[0]);
    expect(await readFile(join(parent, 'key'), 'utf8')).toBe(texts[0]);
    expect((await stat(join(parent, 'key'))).mode & 0o777).toBe(0o600);
  });
});
