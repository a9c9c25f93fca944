import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** What must never be served: it stands beside the folder, and in dot files within it. */
export const SECRET = 'never-to-be-read';

/** A folder as the build command leaves it, and what the command notes beside it. */
export interface ConsoleFolder {
  readonly folder: string;
  /** A build in its order: new files, the page by one rename, then old files are removed. */
  build(name: string): Promise<void>;
  /** A note of the build command: `lock` or `failure`. */
  note(name: 'lock' | 'failure', text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The script of a build: long enough to be compressed. */
export const scriptOf = (name: string) => `console.log('${name}');\n`.repeat(100);

export async function createConsoleFolder(): Promise<ConsoleFolder> {
  const root = await mkdtemp(join(tmpdir(), 'sallyport-console-'));
  const folder = join(root, 'dist');
  const write = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  await mkdir(join(root, '.build'));
  await writeFile(join(root, 'package.json'), SECRET);
  let earlier: string | null = null;
  return {
    folder,
    async build(name) {
      const script = scriptOf(name);
      await write(`assets/${name}.js`, script);
      await write(`assets/${name}.js.br`, brotliCompressSync(script));
      await write(`assets/${name}.js.gz`, gzipSync(script));
      await write('assets/style.css', 'body{}');
      await write('assets/kernel.wasm', Buffer.from([0, 97, 115, 109]));
      await write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
      await write('.vite/manifest.json', SECRET);
      await write('.inputs', SECRET);
      await write('assets/.hidden', SECRET);
      await write(
        'index.fresh',
        `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><meta name="console-session" content="__CONSOLE_SESSION__"><script type="module" src="/console/assets/${name}.js" nonce="__CSP_NONCE__"></script>`,
      );
      await rename(join(folder, 'index.fresh'), join(folder, 'index.html'));
      if (earlier !== null && earlier !== name) {
        for (const ending of ['', '.br', '.gz']) await rm(join(folder, `assets/${earlier}.js${ending}`));
      }
      earlier = name;
    },
    note: (name, text) => writeFile(join(root, '.build', name), text),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
