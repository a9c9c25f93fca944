import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../zh/', import.meta.url));

/** The paths of the Chinese pages below `/zh/`, without `.md`; of a home page, its folder. */
export declare const data: string[];

export default {
  watch: ['../../zh/**/*.md'],
  load: (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => path.replaceAll('\\', '/').replace(/(?:index)?\.md$/, '')),
};
