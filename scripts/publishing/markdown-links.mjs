// Where the links of a Markdown file lead. Links to this repository on GitHub are followed to the local file, so that
// no check needs the network. The README of a package is shown on npm, where a path out of the package leads nowhere.
import { posix } from 'node:path';

/**
 * @typedef {object} Repository
 * @property {string} url of the repository on GitHub
 * @property {(path: string) => 'file' | 'folder' | null} kindOf what stands at a path below the root
 * @property {(path: string) => string} read
 */

/**
 * @typedef {object} Page
 * @property {string} path of the Markdown file, below the root
 * @property {{ folder: string, ships: (path: string) => boolean }} [published] the package that the page is published
 *   with; `ships` takes a path below its folder
 */

/** The branch that absolute links name. */
const BRANCH = 'main';

/** Blanks out fenced blocks and code spans, and keeps the lines. */
function withoutCode(markdown) {
  const blank = (code) => code.replace(/[^\n]/g, ' ');
  return markdown
    .replace(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1`* *$/gm, blank)
    .replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, blank);
}

/**
 * The targets of links and pictures, HTML included, with their lines.
 * @param {string} markdown
 * @returns {{ target: string, line: number, isPicture: boolean }[]}
 */
export function linksOf(markdown) {
  const text = withoutCode(markdown);
  const found = [
    ...[...text.matchAll(/(!?)\[(?:[^[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*\]\(<?([^)\s>]+)>?(?: [^)]*)?\)/g)].flatMap(
      (match) => [
        { index: match.index, target: match[2], isPicture: match[1] === '!' },
        ...[...match[0].slice(1).matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target]) => ({
          index: match.index,
          target,
          isPicture: true,
        })),
      ],
    ),
    ...[...text.matchAll(/^\[[^\]]+\]: <?([^\s>]+)/gm)].map(({ index, 1: target }) => ({
      index,
      target,
      isPicture: false,
    })),
    ...[...text.matchAll(/<(a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)/g)].map(
      ({ index, 1: tag, 2: target }) => ({
        index,
        target,
        isPicture: tag !== 'a',
      }),
    ),
  ];
  return found
    .sort((a, b) => a.index - b.index)
    .map(({ index, ...link }) => ({ ...link, line: text.slice(0, index).split('\n').length }));
}

/**
 * The anchors that GitHub and npm give the headings of a page.
 * @param {string} markdown
 */
export function anchorsOf(markdown) {
  const seen = new Map();
  const ids = [...markdown.matchAll(/\b(?:id|name)="([^"]+)"/g)].map(([, id]) => id);
  // Code spans of a heading count, blocks don't.
  const text = markdown.replace(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1`* *$/gm, '');
  const headings = [...text.matchAll(/^#{1,6} +(.+?)(?: +#+)? *$/gm)].map(([, title]) => {
    const slug = title
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return [...headings, ...ids];
}

/**
 * The path of a link to this repository on GitHub, or null of any other address.
 * @param {string} target
 * @param {string} url
 */
function localPath(target, url) {
  const raw = url.replace('https://github.com/', 'https://raw.githubusercontent.com/');
  const [address] = target.split('#');
  for (const [prefix, kind] of [
    [`${url}/blob/${BRANCH}/`, 'file'],
    [`${url}/tree/${BRANCH}/`, 'folder'],
    [`${raw}/${BRANCH}/`, 'picture'],
  ]) {
    if (address.startsWith(prefix)) return { path: decodeURIComponent(address.slice(prefix.length)), kind };
  }
  return null;
}

/** What is wrong with one link, or null. */
function faultOf({ target, isPicture }, page, repository) {
  const [address, anchor] = target.split('#');
  const hasAnchor = (path) =>
    anchor === undefined ||
    !path.endsWith('.md') ||
    anchorsOf(repository.read(path)).includes(decodeURIComponent(anchor));
  if (address === '') return hasAnchor(page.path) ? null : 'no heading has this anchor';
  const remote = localPath(target, repository.url);
  if (remote !== null) {
    const kind = repository.kindOf(remote.path.replace(/\/$/, ''));
    if (kind === null) return 'the repository has no such file';
    if ((remote.kind === 'folder') !== (kind === 'folder'))
      return 'the address of a folder has tree, that of a file blob';
    if (isPicture && remote.kind !== 'picture') return 'the address shows a page about the picture';
    return kind === 'folder' || hasAnchor(remote.path) ? null : 'no heading has this anchor';
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    const isOwn = target.startsWith(`${repository.url}/blob/`) || target.startsWith(`${repository.url}/tree/`);
    return isOwn ? `links to the repository name the branch ${BRANCH}` : null;
  }
  const path = posix.normalize(posix.join(posix.dirname(page.path), decodeURIComponent(address))).replace(/\/$/, '');
  const kind = repository.kindOf(path);
  if (kind === null) return 'the repository has no such file';
  if (page.published !== undefined) {
    const { folder, ships } = page.published;
    if (!path.startsWith(`${folder}/`)) return 'leads out of the package: write its address on GitHub';
    if (!ships(path.slice(folder.length + 1))) return 'is not in the tarball: write its address on GitHub';
  }
  return kind === 'folder' || hasAnchor(path) ? null : 'no heading has this anchor';
}

/**
 * Links that lead nowhere, one line for each.
 * @param {Page} page
 * @param {Repository} repository
 */
export function linkFaults(page, repository) {
  return linksOf(repository.read(page.path)).flatMap((link) => {
    const fault = faultOf(link, page, repository);
    return fault === null ? [] : [`${page.path}:${link.line}: ${link.target}: ${fault}`];
  });
}
