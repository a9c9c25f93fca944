// The blocks of a README or a page, and what a reader expects of each. `check-readmes.mjs` runs them.

/** The address at which every server of a README listens, and which its shell blocks call. */
const README_ADDRESS = /\b(127\.0\.0\.1|localhost):3000\b/g;

/** The languages that run. Their other names are refused (`readme-structure.mjs`), so that no block escapes. */
const RUNNABLE = ['ts', 'js', 'sh'];

/**
 * @typedef {object} Block
 * @property {string} language the first word after the fence
 * @property {string | null} path the second word: the file that a reader writes the block to
 * @property {number} line the line of the README that holds the first line of the text
 * @property {string} text
 * @property {string} section the title of the `##` section that it is in
 */

/**
 * @typedef {object} Readme
 * @property {{ title: string, line: number }[]} sections the `##` headings
 * @property {Block[]} blocks
 */

/**
 * @param {string} markdown
 * @returns {Readme}
 */
export function parseReadme(markdown) {
  const sections = [];
  const blocks = [];
  let open = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^( *)(`{3,})(.*)$/.exec(line);
    if (open !== null) {
      if (fence !== null && fence[2].length >= open.fence.length && fence[3].trim() === '') {
        blocks.push({ ...open.block, text: open.lines.map((each) => `${each}\n`).join('') });
        open = null;
      } else {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart());
      }
      continue;
    }
    if (fence !== null) {
      const [language = '', path = null] = fence[3].trim().split(/\s+/);
      const section = sections.at(-1)?.title ?? '';
      open = { indent: fence[1], fence: fence[2], lines: [], block: { language, path, line: index + 2, section } };
      continue;
    }
    const title = /^## (.+)$/.exec(line)?.[1].trim();
    if (title !== undefined) sections.push({ title, line: index + 1 });
  }
  if (open !== null) blocks.push({ ...open.block, text: open.lines.map((each) => `${each}\n`).join('') });
  return { sections, blocks };
}

/**
 * The file that a block is written to.
 * @param {Block} block
 */
export function pathOf({ language, path }) {
  return path ?? (language === 'js' ? 'app.mjs' : 'app.mts');
}

/** @param {Block} block */
export function isRunnable({ language }) {
  return RUNNABLE.includes(language);
}

/**
 * The packages that a program imports, without those of Node.js.
 * @param {string} text
 * @returns {string[]}
 */
export function importedPackages(text) {
  const specifiers = text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"])([^'"\n]+)\1/g);
  const names = [...specifiers].flatMap(([, , specifier]) =>
    /^(?:[./#]|node:|file:)/.test(specifier) ? [] : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'),
  );
  return [...new Set(names)];
}

/**
 * What the install lines of the shell blocks name.
 * @param {readonly Block[]} blocks
 * @returns {string[]} names, with the version where a line says one
 */
export function installedBy(blocks) {
  const shells = blocks.filter(({ language }) => language === 'sh');
  const lines = shells.flatMap(({ text }) => [...text.matchAll(/^\s*npm install ([^#\n]+)/gm)]);
  return lines.flatMap(([, words]) => words.trim().split(/\s+/));
}

/**
 * Whether a program calls the server that a block before it has started, which therefore goes on.
 * @param {string} text
 */
export function callsServer(text) {
  return new RegExp(README_ADDRESS.source).test(text);
}

/**
 * The text with the port of this run.
 * @param {string} text
 * @param {number} port
 */
export function withPort(text, port) {
  return text.replaceAll(README_ADDRESS, `$1:${port}`);
}

/**
 * The commands of a shell block. The comment lines right after a command are its expected output; other comment lines
 * explain.
 * @param {string} text
 * @param {(command: string) => boolean} isComplete whether the shell would run these lines, or wait for more
 * @returns {{ command: string, line: number, expected: string | null }[]} `line` counts from 0
 */
export function shellSteps(text, isComplete) {
  const steps = [];
  let pending = null;
  let mayExpect = false;
  for (const [index, line] of text.trimEnd().split('\n').entries()) {
    if (pending !== null) {
      pending.command += `\n${line}`;
    } else if (line.trim() === '') {
      mayExpect = false;
      continue;
    } else if (/^\s*#/.test(line)) {
      if (mayExpect) {
        const step = steps.at(-1);
        const output = line.replace(/^\s*# ?/, '');
        step.expected = step.expected === null ? output : `${step.expected}\n${output}`;
      }
      continue;
    } else {
      pending = { command: line, line: index, expected: null };
    }
    if (isComplete(pending.command)) {
      steps.push(pending);
      pending = null;
      mayExpect = true;
    }
  }
  if (pending !== null) steps.push(pending);
  return steps;
}

/**
 * Whether an output is what a comment says. `…` matches anything; the white space around each line does not count.
 * @param {string} output
 * @param {string} expected
 */
export function matchesExpected(output, expected) {
  const trimmed = (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim();
  const pattern = trimmed(expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(trimmed(output));
}

/**
 * Whether a command of a shell block starts the file that a block before it has started already.
 * @param {string} command
 * @param {string} path
 */
export function startsFile(command, path) {
  const [, file] = /^\s*(?:npx tsx|node(?: --import tsx)?) (?:\.\/)?(\S+)(?: &)?\s*(?:#.*)?$/.exec(command) ?? [];
  return file === path;
}

/**
 * The errors of the compiler for one file, at their lines of the README.
 * @param {string} output of tsc
 * @param {Block} block
 * @returns {{ line: number, message: string }[]}
 */
export function compilerFaults(output, block) {
  const faults = [];
  for (const line of output.split('\n')) {
    const error = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(line);
    if (error === null) {
      if (faults.length > 0 && line.trim() !== '') faults.at(-1).message += `\n${line}`;
      else if (/^error /.test(line)) faults.push({ line: block.line, message: line });
    } else if (error[1] === pathOf(block)) {
      faults.push({ line: block.line + Number(error[2]) - 1, message: error[3] });
    } else {
      faults.push({ line: block.line, message: line });
    }
  }
  return faults;
}

/**
 * The errors of the compiler for files that were kept, each in a folder of its own, at their lines of the README.
 * @param {string} output of `tsc -b`
 * @param {readonly { block: Block, place: string }[]} kept
 * @returns {{ line: number, message: string }[]}
 */
export function keptFaults(output, kept) {
  const outputs = kept.map(() => '');
  let current = 0;
  for (const line of output.split('\n')) {
    // A line without a place goes on with the error before it.
    const found = kept.findIndex(({ place }) => line.startsWith(`${place}/`));
    if (found !== -1) current = found;
    outputs[current] += `${found === -1 ? line : line.slice(kept[found].place.length + 1)}\n`;
  }
  return kept.flatMap(({ block }, index) => compilerFaults(outputs[index], block));
}
