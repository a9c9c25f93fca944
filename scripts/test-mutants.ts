import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

/**
 * Seeded faults: a copy of a package's sources in which one text is replaced. A test that looks for faults proves by
 * them that it finds some. The copy exists in the memory of the test run only.
 */
export interface Mutation {
  /** The source file that is changed: the imported module, or one that it imports, directly or not. */
  readonly file: URL;
  /** A text that the file contains exactly once. If it does not, the import fails, and so does the test. */
  readonly replace: string;
  readonly by: string;
}

const MARK = '?mutation=';

/**
 * Imports a module whose relative imports, and theirs, are copies too. Other packages are the real ones. Modules that
 * are imported with the same mutation share their copies.
 *
 * @param module the URL of a source file, such as `new URL('../src/index.ts', import.meta.url)`
 */
export async function importMutant<Module>(module: URL, { file, replace, by }: Mutation): Promise<Module> {
  const text = Buffer.from(JSON.stringify([fileURLToPath(file), replace, by])).toString('base64url');
  return (await import(/* @vite-ignore */ `${fileURLToPath(module)}${MARK}${text}`)) as Module;
}

/** The part of Vitest's configuration that {@link importMutant} needs. */
export function mutantLoader(): Plugin {
  return {
    name: 'mutant-loader',
    enforce: 'pre',

    async resolveId(source, importer) {
      const [importing, text] = importer?.split(MARK) ?? [];
      if (text === undefined || !source.startsWith('.')) return null;
      const found = await this.resolve(source, importing, { skipSelf: true });
      return found === null ? null : `${found.id}${MARK}${text}`;
    },

    async load(id) {
      const [path = '', text] = id.split(MARK);
      if (text === undefined) return null;
      const [file, replace, by] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string, string];
      const source = await readFile(path, 'utf8');
      if (path !== file) return source;
      const parts = source.split(replace);
      if (parts.length !== 2) throw new Error(`${file} contains ${parts.length - 1} times: ${replace}`);
      return parts.join(by);
    },
  };
}
