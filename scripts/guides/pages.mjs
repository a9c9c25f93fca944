// Which pages of the documentation are followed word for word, and where. A page says so in its first line:
// `<!-- follow: clone -->` (in a fresh clone of the repository, by `check:guides`) or `<!-- follow: project -->` (in an
// empty project, by `check:readmes`). A block of ts, js or sh that nobody runs has the reason before it:
// `<!-- not run: … -->`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunnable, parseReadme } from '../readme-blocks.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Folders of `docs` without pages that are followed: packages, other languages, whose blocks are the same, the
 * reference of packages, whose blocks run with those of the READMEs, and what the build makes of their types.
 */
const OTHER_FOLDERS = /^(?:node_modules|dist|\.vitepress|zh|reference|types)(?:\/|$)/;

/** The pages of `docs` that are followed, as paths from the root of the repository. */
export const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !OTHER_FOLDERS.test(path))
  .map((path) => `docs/${path}`)
  .sort();

/** @param {string} path */
export const readPage = (path) => readFileSync(join(root, path), 'utf8');

/**
 * Where a page is followed, or null.
 * @param {string} markdown
 * @returns {string | null}
 */
export const placeOf = (markdown) => /^<!-- follow: (\S+) -->\n/.exec(markdown)?.[1] ?? null;

/**
 * The blocks that run, and those that don't, each with its reason.
 * @param {string} markdown
 */
export function blocksOf(markdown) {
  const lines = markdown.split('\n');
  const all = parseReadme(markdown)
    .blocks.filter(isRunnable)
    .map((block) => ({ ...block, reason: reasonAbove(lines, block.line - 2) }));
  return { run: all.filter(({ reason }) => reason === null), left: all.filter(({ reason }) => reason !== null) };
}

/** The reason on the last line with text above the fence. */
function reasonAbove(lines, fence) {
  const above = lines.slice(0, fence).findLast((line) => line.trim() !== '') ?? '';
  return /^<!-- not run: (.+) -->$/.exec(above.trim())?.[1] ?? null;
}

/** @param {string} place */
export const pagesFollowedIn = (place) => pages.filter((path) => placeOf(readPage(path)) === place);
