import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';

/** Databases that were closed, emptied and not taken again. Each has some 100 MB. */
const idle: PGlite[] = [];
const MAX_IDLE = 2;

/** Removes what a session or a schema could leave behind. `discard all` must not share a query with others. */
const RESET = [
  'rollback',
  'discard all',
  `do $reset$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
    create schema public;
  end $reset$`,
];

/**
 * An empty embedded database in memory, the caller's until it is closed. Loading one takes half a second of processor
 * time, so a closed database is emptied and given to the next caller in this process. Later calls of the previous
 * caller are refused, as by a closed database.
 */
export async function openTestEmbedded(): Promise<PGlite> {
  const client = idle.pop() ?? (await createTestEmbedded());
  const own = new Set(Reflect.ownKeys(client));
  let isClosed = false;

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    // Methods that the caller replaced are those of the class again.
    for (const key of Reflect.ownKeys(client)) if (!own.has(key)) Reflect.deleteProperty(client, key);
    try {
      for (const statement of RESET) await client.exec(statement);
      if (idle.length < MAX_IDLE) idle.push(client);
      else await client.close();
    } catch {
      await client.close();
    }
  }

  return new Proxy(client, {
    get(target, name) {
      if (name === 'close') return close;
      if (name === 'closed') return isClosed;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        if (isClosed) throw new Error('PGlite is closed');
        return Reflect.apply(value, target, given);
      };
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

/** A new embedded database in memory, without the server's schema. It is not reused. */
export async function createTestEmbedded(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: new Blob([await readFile(await templateFile())]) });
}

/**
 * Writes an empty database into a folder, for a process that opens it there, unless one is in it. Creating its own
 * takes a process nine seconds of processor time.
 */
export async function writeTestEmbedded(folder: string): Promise<void> {
  if (existsSync(join(folder, 'PG_VERSION'))) return;
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('tar', ['--extract', '--file', await templateFile(), '--directory', folder]);
}

/**
 * The file of a copy of an empty database. Creating a database takes seconds, loading a copy half a second. It is kept
 * under `node_modules` for the next run, by the version of PGlite. The first run creates it before its tests, once for
 * all workers.
 */
export async function templateFile(): Promise<string> {
  const folder = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  const version = createHash('sha256')
    .update(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
    .digest('hex');
  const path = `${folder}pglite-${version.slice(0, 12)}.tar`;
  if (existsSync(path)) return path;
  const client = await PGlite.create();
  const template = await client.dumpDataDir('none');
  await client.close();
  await mkdir(folder, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, Buffer.from(await template.arrayBuffer()));
  await rename(draft, path);
  return path;
}
