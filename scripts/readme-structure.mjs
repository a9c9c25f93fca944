// What a reader expects of a README: its sections, and a quick start that is short.

/** @typedef {import('./readme-blocks.mjs').Readme} Readme */

/** Maximum lines of a quick start that are not blank. Requirement ADP-8. */
export const MAX_QUICK_START_LINES = 20;

/** Other names of the languages that run. */
const OTHER_NAMES = {
  typescript: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'ts',
  javascript: 'js',
  mjs: 'js',
  cjs: 'js',
  node: 'js',
  shell: 'sh',
  bash: 'sh',
  zsh: 'sh',
  console: 'sh',
  'shell-session': 'sh',
};

/**
 * The sections with which every README begins, in their order. One that may be `elsewhere` may stand in a page of the
 * package's reference instead.
 */
export const SECTIONS = [
  { title: /^Install$/, name: 'Install', elsewhere: false },
  { title: /^Quick start$/, name: 'Quick start', elsewhere: false },
  { title: /^In an existing app$/, name: 'In an existing app', elsewhere: false },
  { title: /^Testing$/, name: 'Testing', elsewhere: true },
  { title: /^Coming from .+$/, name: 'Coming from …', elsewhere: true },
];

/** What follows in every README: what the package does not do. Requirement HSE-7. */
const LIMITS = 'Limits';

/** The links to the pages of the reference. A README with pages has nothing else that they could hold. */
const REFERENCE = 'Reference';

const LICENCE = 'Licence';

/**
 * The lines of a program that are not blank.
 * @param {string} text
 */
export function countLines(text) {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

/**
 * The first `ts` block of the quick start.
 * @param {Readme} readme
 */
export function quickStartOf(readme) {
  return readme.blocks.find(({ section, language }) => section === 'Quick start' && language === 'ts') ?? null;
}

/**
 * What is wrong with a README before anything runs.
 * @param {Readme} readme
 * @param {Record<string, string>} exempt names of sections that it needn't have, each with the reason
 * @param {readonly Readme[]} reference the pages of the package's reference
 * @returns {{ line: number, message: string }[]}
 */
export function structureFaults(readme, exempt = {}, reference = []) {
  return [
    ...sectionFaults(readme, exempt, reference),
    ...endFaults(readme, reference),
    ...quickStartFaults(readme),
    ...languageFaults(readme),
  ];
}

function sectionFaults({ sections }, exempt, reference) {
  const faults = [];
  const onPages = reference.flatMap((page) => page.sections);
  let last = { line: 0, name: '' };
  for (const { title, name, elsewhere } of SECTIONS) {
    const found = sections.find((section) => title.test(section.title));
    if (found === undefined) {
      const isThere = name in exempt || (elsewhere && onPages.some((section) => title.test(section.title)));
      if (!isThere) faults.push({ line: 1, message: `has no section '## ${name}'` });
      continue;
    }
    if (name in exempt) {
      faults.push({
        line: found.line,
        message: `has a section '## ${name}' from which it is exempt: end the exemption`,
      });
    }
    if (found.line < last.line)
      faults.push({ line: found.line, message: `'## ${name}' stands before '## ${last.name}'` });
    else last = { line: found.line, name };
  }
  const required = sections.filter(isOpening);
  const between = sections.find(
    ({ line }) => line < (required.at(-1)?.line ?? 0) && !required.some((r) => r.line === line),
  );
  if (between !== undefined) {
    faults.push({ line: between.line, message: `'## ${between.title}' stands before '## ${required.at(-1).title}'` });
  }
  return faults;
}

const isOpening = (section) => SECTIONS.some(({ title }) => title.test(section.title));

/** The end of a README: its limits, and with pages of a reference the links to them, and no other section. */
function endFaults({ sections }, reference) {
  const has = (name) => sections.some(({ title }) => title === name);
  const ends = [LIMITS, ...(reference.length > 0 ? [REFERENCE] : [])];
  const others = sections.filter(
    (section) => !isOpening(section) && ![LIMITS, REFERENCE, LICENCE].includes(section.title),
  );
  return [
    ...ends.filter((name) => !has(name)).map((name) => ({ line: 1, message: `has no section '## ${name}'` })),
    ...(reference.length > 0 ? others : []).map(({ title, line }) => ({
      line,
      message: `'## ${title}' belongs to a page of the reference`,
    })),
  ];
}

function quickStartFaults(readme) {
  const inSection = readme.blocks.filter(({ section }) => section === 'Quick start');
  const first = inSection[0];
  if (first === undefined) return [{ line: 1, message: 'has no block in its quick start' }];
  if (first.language !== 'ts')
    return [{ line: first.line, message: 'begins its quick start with another block than ts' }];
  const lines = countLines(first.text);
  return lines > MAX_QUICK_START_LINES
    ? [
        {
          line: first.line,
          message: `has a quick start of ${lines} lines; at most ${MAX_QUICK_START_LINES} are allowed`,
        },
      ]
    : [];
}

/**
 * Blocks that would escape: they have no language, or another name of one that runs.
 * @param {Readme} readme
 * @returns {{ line: number, message: string }[]}
 */
export const languageFaults = ({ blocks }) => blocks.flatMap(languageFault);

function languageFault({ language, line }) {
  if (language === '') return [{ line: line - 1, message: 'has a block without a language' }];
  const name = OTHER_NAMES[language.toLowerCase()];
  return name === undefined ? [] : [{ line: line - 1, message: `has a block in ${language}: write ${name}` }];
}
