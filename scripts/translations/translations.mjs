// Which Chinese page translates which original, and whether the original has changed since. A comment at the top of
// the translation says so: <!-- Translation of FILE#section,section sha256:DIGEST -->. Without sections it is the whole
// file. What stands above the comment is not compared: front matter, links to other languages, a title of its own.
import { createHash } from 'node:crypto';
import { anchorsOf } from '../publishing/markdown-links.mjs';
import { blocksOf, skeletonOf } from './blocks.mjs';

/** @typedef {import('../publishing/markdown-links.mjs').Repository} Repository */

/**
 * @typedef {object} Marker
 * @property {string} file the original, below the root
 * @property {string[] | null} sections their anchors, `top` for what stands above the second heading; null for all
 * @property {string} digest of the original when the translation was accepted
 */

/** 64 bits: nobody forges an original against this check. */
const DIGEST_CHARACTERS = 16;

const MARKER = /<!-- Translation of ([^\s#]+)(?:#(\S+))? sha256:([0-9a-f]*) -->/;

/** What stands below it is no translation, such as a link to the whole page. */
const END = '<!-- End of the translation -->';

const SERVER = 'examples/reference-server/README.md';

/** Whole pages that must have a translation, in addition to the READMEs. */
const PAGES = ['index', 'quick-start', 'processing-order', 'envelope-v1', 'guides/going-to-production'];

/** @param {readonly string[]} files */
export const translationsOf = (files) =>
  files.filter((path) => /^docs\/zh\/.*\.md$/.test(path) || path.endsWith('.zh-CN.md'));

/**
 * The originals that must have a translation.
 * @param {readonly string[]} files
 * @returns {{ file: string, section: string | null }[]}
 */
export function requiredOriginals(files) {
  const packages = files.filter((path) => /^packages\/[^/]+\/README\.md$/.test(path));
  return [
    { file: 'README.md', section: null },
    ...PAGES.map((page) => ({ file: `docs/${page}.md`, section: null })),
    { file: SERVER, section: 'preflight' },
    { file: SERVER, section: 'acceptance' },
    ...packages.map((file) => ({ file, section: 'quick-start' })),
  ];
}

/**
 * @param {string} text of a translation
 * @returns {Marker | null}
 */
export function markerOf(text) {
  const match = MARKER.exec(text);
  return match && { file: match[1], sections: match[2]?.split(',') ?? null, digest: match[3] };
}

/**
 * The sections of a page, each up to the next heading of its level or above. Throws for an anchor that no heading has.
 * @param {string} markdown
 * @param {string[] | null} sections
 */
export function sectionsOf(markdown, sections) {
  if (sections === null) return markdown;
  const lines = markdown.split('\n');
  const anchors = anchorsOf(markdown);
  const headings = blocksOf(markdown)
    .filter(({ kind }) => kind === 'heading')
    .map(({ text, line }, index) => ({ level: text.indexOf(' '), start: line - 1, anchor: anchors[index] }));
  return sections
    .map((section) => {
      if (section === 'top') return lines.slice(0, headings[1]?.start).join('\n');
      const at = headings.findIndex(({ anchor }) => anchor === section);
      if (at < 0) throw new Error(`no heading has the anchor ${section}`);
      const next = headings.find(({ level }, index) => index > at && level <= headings[at].level);
      return lines.slice(headings[at].start, next?.start).join('\n');
    })
    .map((text) => `${text.trim()}\n`)
    .join('\n');
}

/** @param {string} text */
const digestOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);

/** @param {string} text of an original or a translation */
function comparableBlocks(text) {
  const first = text.slice(0, MARKER.exec(text)?.index ?? 0).split('\n').length;
  return blocksOf(text.split(END)[0]).filter(({ kind, line }) => kind !== 'front matter' && line >= first);
}

/**
 * Where a translation and its original differ in headings, code, numbers or code words.
 * @param {string} original
 * @param {string} translation
 * @returns {string[]} one line for each, with the line of the translation
 */
export function structureFaults(original, translation) {
  const theirs = comparableBlocks(original);
  const ours = comparableBlocks(translation);
  for (const [index, { kind, text }] of theirs.entries()) {
    const own = ours[index];
    if (own?.kind === kind) continue;
    return [`${own?.line ?? 'end'}: ${own?.kind ?? 'nothing'} instead of ${kind}: ${text.split('\n')[0]}`];
  }
  const [surplus] = ours.slice(theirs.length);
  if (surplus !== undefined) return [`${surplus.line}: the original has ended here: ${surplus.text.split('\n')[0]}`];
  return theirs.flatMap((block, index) => {
    const [wanted, found] = [skeletonOf(block), skeletonOf(ours[index])];
    if (JSON.stringify(wanted) === JSON.stringify(found)) return [];
    if (block.kind === 'code') return [`${ours[index].line}: the code is not that of the original`];
    const missing = wanted.filter((word) => !found.includes(word));
    const added = found.filter((word) => !wanted.includes(word));
    const words = [...missing.map((word) => `lacks ${word}`), ...added.map((word) => `adds ${word}`)];
    return [`${ours[index].line}: the ${block.kind} ${words.join(', ') || 'has another structure'}`];
  });
}

/**
 * @param {string} path of the translation
 * @param {Repository} repository
 * @returns {{ faults: string[], digest: string }} what is wrong with the text, and the digest of the original now
 */
export function examine(path, repository) {
  const text = repository.read(path);
  const marker = markerOf(text);
  if (marker === null) return { faults: [`${path}: no comment names its original`], digest: '' };
  if (repository.kindOf(marker.file) !== 'file')
    return { faults: [`${path}: its original ${marker.file} is not there`], digest: '' };
  try {
    const original = sectionsOf(repository.read(marker.file), marker.sections);
    return {
      faults: structureFaults(original, text).map((fault) => `${path}:${fault}`),
      digest: digestOf(original),
    };
  } catch (error) {
    return { faults: [`${path}: ${marker.file}: ${error.message}`], digest: '' };
  }
}

/**
 * Translations that are wrong or whose original has changed, and originals without a translation.
 * @param {readonly string[]} files
 * @param {Repository} repository
 * @returns {string[]}
 */
export function translationFaults(files, repository) {
  const translations = translationsOf(files);
  const markers = translations.map((path) => markerOf(repository.read(path))).filter((marker) => marker !== null);
  const isTranslated = ({ file, section }) =>
    markers.some((marker) => marker.file === file && (marker.sections?.includes(section) ?? true));
  return [
    ...requiredOriginals(files)
      .filter((original) => !isTranslated(original))
      .map(({ file, section }) => `${file}${section === null ? '' : `#${section}`}: has no translation`),
    ...translations.flatMap((path) => {
      const { faults, digest } = examine(path, repository);
      const marker = markerOf(repository.read(path));
      const hasChanged = digest !== '' && digest !== marker?.digest;
      return hasChanged ? [`${path}: ${marker?.file} has changed since it was translated`, ...faults] : faults;
    }),
  ];
}

/**
 * The translation, with the digest that its original has now.
 * @param {string} text
 * @param {string} digest
 */
export const withDigest = (text, digest) =>
  text.replace(MARKER, (marker) => marker.replace(/sha256:[0-9a-f]*/, `sha256:${digest}`));
