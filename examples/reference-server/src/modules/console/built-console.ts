import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { PAGE_FILE } from './console-folder.js';

/** The compressed forms that the build writes, by their `Content-Encoding`, the smallest first. */
export const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

export type Encoding = keyof typeof ENCODINGS;

export interface ConsoleFile {
  readonly type: string;
  /** A digest of the content. */
  readonly digest: string;
  readonly content: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** One build of the console, read as a whole. */
interface ConsoleBuild {
  /** Changes with each build. */
  readonly version: string;
  readonly page: string;
  /** The files, by their paths from the folder, such as `assets/index-Cx2f.js`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

export interface BuiltConsole {
  /** The page with placeholders for a nonce. Null if the console is not built. */
  readPage(): Promise<string | null>;
  findFile(path: string): Promise<ConsoleFile | null>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** A build that is replaced while it is read is read again. */
const MAX_READS = 5;

/**
 * The console in memory, a few megabytes. Paths of requests do not reach the file system, and a page never gets the
 * scripts of another build. A new build is noticed when the page or an unknown file is requested.
 */
export function openBuiltConsole(folder: string): BuiltConsole {
  let present: ConsoleBuild | null = null;
  /** Open pages load the rest of their scripts from the previous build. */
  let earlier: ConsoleBuild | null = null;
  let reading: Promise<void> | null = null;

  async function readAgain(): Promise<void> {
    const build = await readBuild(folder);
    if (build !== null && build.version !== present?.version) [present, earlier] = [build, present];
  }

  async function refresh(): Promise<void> {
    const version = await versionOf(folder);
    if (version === null || version === present?.version) return;
    reading ??= readAgain().finally(() => {
      reading = null;
    });
    await reading;
  }

  const find = (path: string) => present?.files.get(path) ?? earlier?.files.get(path) ?? null;

  return {
    async readPage() {
      await refresh();
      return present?.page ?? null;
    },
    async findFile(path) {
      const found = find(path);
      if (found !== null) return found;
      await refresh();
      return find(path);
    },
  };
}

/** A build puts its page in place by one rename, after its new files and before it removes old ones. */
async function versionOf(folder: string): Promise<string | null> {
  try {
    const { ino, mtimeMs, size } = await stat(join(folder, PAGE_FILE));
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return null;
  }
}

/** Returns null if there is no build, or if builds follow each other faster than they are read. */
async function readBuild(folder: string): Promise<ConsoleBuild | null> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const version = await versionOf(folder);
    if (version === null) return null;
    try {
      const page = await readFile(join(folder, PAGE_FILE), 'utf8');
      const files = await readFiles(folder);
      if ((await versionOf(folder)) === version) return { version, page, files };
    } catch (error) {
      // The build removed an old file after the folder was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return null;
}

async function readFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const contents = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/');
    // Links could lead out of the folder. Dot files belong to the build.
    if (!entry.isFile() || path === PAGE_FILE || /(?:^|\/)\./.test(path)) continue;
    contents.set(path, await readFile(join(folder, path)));
  }
  const isForm = (path: string) =>
    Object.values(ENCODINGS).some((ending) => path.endsWith(ending) && contents.has(path.slice(0, -ending.length)));
  const files = [...contents].filter(([path]) => !isForm(path));
  return new Map(files.map(([path, content]) => [path, fileOf(path, content, contents)]));
}

function fileOf(path: string, content: Buffer, contents: ReadonlyMap<string, Buffer>): ConsoleFile {
  const forms = Object.entries(ENCODINGS).flatMap(([encoding, ending]) => {
    const form = contents.get(`${path}${ending}`);
    return form === undefined ? [] : [[encoding, form] as const];
  });
  return {
    type: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    digest: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    content,
    encoded: Object.fromEntries(forms),
  };
}
