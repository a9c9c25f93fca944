import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository: the source folder of the site, so that a README is a page without a copy of it. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

const { repository: source } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  repository: { url: string };
};

export const REPOSITORY_URL = source.url.replace(/^git\+|\.git$/g, '');

const foldersOf = (parent: string): string[] =>
  readdirSync(join(repository, parent)).filter((name) => existsSync(join(repository, parent, name, 'README.md')));

export const plugins: readonly string[] = foldersOf('packages');
export const examples: readonly string[] = foldersOf('examples');

/** Where each Markdown file of the repository stands on the site. All others are no pages. */
export function pageOf(file: string): string | undefined {
  const parts = /^(packages|examples)\/([^/]+)\/README\.md$/.exec(file);
  if (parts !== null) return `${parts[1] === 'packages' ? 'plugins' : 'examples'}/${parts[2]}.md`;
  if (/^docs\/.*\.md$/.test(file)) return file.slice('docs/'.length);
  if (file === 'SECURITY.md' || file === 'CONTRIBUTING.md') return file.toLowerCase();
  return undefined;
}

/**
 * The address of a link that stands in a file of the repository: a page of the site where there is one, else the file
 * at the repository's host. READMEs link by addresses that hold on npm and on the repository's host too.
 */
export function linkOf(href: string, file: string): string {
  if (href.startsWith('#') || href.startsWith('/')) return href;
  const [target = '', hash] = href.split('#', 2);
  const path = targetOf(target, file);
  if (path === undefined) return href;
  // The host's anchor for the README of a folder, which is a page here.
  const anchor = hash === undefined || hash === 'readme' ? '' : `#${hash}`;
  if (path === 'README.md') return `/${anchor}`;
  if (path.startsWith('docs/public/')) return href.startsWith('http') ? href : path.slice('docs/public'.length);
  const stats = statSync(join(repository, path), { throwIfNoEntry: false });
  if (stats === undefined) return href;
  const page = pageOf(stats.isDirectory() ? posix.join(path, 'README.md') : path);
  if (page !== undefined) return `/${page.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}${anchor}`;
  return `${REPOSITORY_URL}/${stats.isDirectory() ? 'tree' : 'blob'}/main/${path}${anchor}`;
}

/** The path in the repository that a link means, or nothing if it leads elsewhere. */
function targetOf(target: string, file: string): string | undefined {
  const hosted = new RegExp(`^${REPOSITORY_URL}/(?:blob|tree|raw)/main/(.+)$`).exec(target);
  if (hosted !== null) return hosted[1];
  if (target === REPOSITORY_URL || /^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  return relative(repository, join(dirname(file), decodeURI(target)))
    .split(sep)
    .join('/');
}
