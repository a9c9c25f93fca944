// The pages of a package: its README, and its reference, which is pages of the site. They are `docs/reference/NAME.md`,
// or the files of the folder `docs/reference/NAME`, in the order of the README's section Reference.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const REFERENCE = 'docs/reference';

/** @param {string} name a folder of `packages` */
export const readmeOf = (name) => `packages/${name}/README.md`;

/** @param {string} path from the root of the repository */
const read = (path) => readFileSync(join(root, path), 'utf8');

/**
 * The pages of the reference of a package, as paths from the root of the repository. One that the section does not
 * name comes last.
 * @param {string} name a folder of `packages`
 * @returns {string[]}
 */
export function referencePagesOf(name) {
  const folder = join(root, REFERENCE, name);
  const files = existsSync(folder) ? readdirSync(folder).map((file) => `${name}/${file}`) : [`${name}.md`];
  const paths = files.map((file) => `${REFERENCE}/${file}`).filter((path) => existsSync(join(root, path)));
  const [, list = ''] = read(readmeOf(name)).split('\n## Reference\n');
  const place = (path) => (list.includes(path) ? list.indexOf(path) : list.length);
  return paths.sort().sort((a, b) => place(a) - place(b));
}

/**
 * The name of a page of a reference, from its title `# NAME: what it holds`.
 * @param {string} path
 */
export function titleOf(path) {
  const [, title = ''] = /^# [a-z-]+: (.+)$/m.exec(read(path)) ?? [];
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

/** @param {string} name a folder of `packages` */
export const pagesOf = (name) => [readmeOf(name), ...referencePagesOf(name)];

/**
 * The text of a package's README and of its reference.
 * @param {string} name a folder of `packages`
 */
export const readPagesOf = (name) => pagesOf(name).map(read).join('\n');
