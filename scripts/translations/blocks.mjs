// The parts of a Markdown page that a translation must keep: headings, code, and the numbers and code words of each
// paragraph, list item and table row.

/**
 * @typedef {object} Block
 * @property {'front matter' | 'heading' | 'code' | 'diagram' | 'row' | 'item' | 'paragraph'} kind
 * @property {number} line where it begins, counted from 1
 * @property {string} text
 */

const FENCE = /^ *(`{3,}|~{3,})(.*)$/;
const ITEM = /^ *(?:[-*+]|\d+\.) +/;
const SEPARATOR_ROW = /^\|(?: *:?-+:? *\|)+$/;

/**
 * @param {string} markdown
 * @returns {Block[]}
 */
export function blocksOf(markdown) {
  const lines = markdown.split('\n');
  /** @type {Block[]} */
  const blocks = [];
  let isOpen = false;
  const begin = (kind, index, text) => {
    blocks.push({ kind, line: index + 1, text });
    isOpen = kind === 'item' || kind === 'paragraph';
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    const fence = FENCE.exec(line);
    const end =
      index === 0 && line === '---'
        ? lines.indexOf('---', 1)
        : fence !== null
          ? lines.findIndex((each, at) => at > index && each.trim().startsWith(fence[1]))
          : line.startsWith('<!--')
            ? lines.findIndex((each, at) => at >= index && each.includes('-->'))
            : -1;
    if (end >= 0) {
      const kind = fence === null ? 'front matter' : fence[2].trim() === 'mermaid' ? 'diagram' : 'code';
      if (!line.startsWith('<!--')) begin(kind, index, lines.slice(index, end + 1).join('\n'));
      isOpen = false;
      index = end;
    } else if (line.trim() === '') isOpen = false;
    else if (/^#{1,6} /.test(line)) begin('heading', index, line);
    else if (line.startsWith('|')) {
      if (!SEPARATOR_ROW.test(line)) begin('row', index, line);
    } else if (ITEM.test(line)) begin('item', index, line.replace(ITEM, ''));
    else if (isOpen) blocks[blocks.length - 1].text += `\n${line}`;
    else begin('paragraph', index, line);
  }
  return blocks;
}

/**
 * The code words and numbers of a text, each once, in order. Targets of links are neither.
 * @param {string} text
 */
function wordsOf(text) {
  const code = [];
  const prose = text
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, (_span, _ticks, word) => {
      code.push(`\`${word.trim().replace(/\s+/g, ' ')}\``);
      return ' ';
    });
  const numbers = [...prose.matchAll(/\d+(?:[.,]\d+)*/g)].map(([number]) => number);
  return [...new Set([...code, ...numbers])].sort();
}

/** What a translation of a block must have as the original has it. */
const SKELETONS = {
  'front matter': (text) => [text],
  heading: (text) => [/^#+/.exec(text)[0], ...wordsOf(text)],
  code: (text) => [text],
  diagram: (text) =>
    text.match(/-->|->>|-\.-|[&|{}]|<br\/?>|\b(?:participant|Note over|subgraph|direction \w+)\b|\d+/g) ?? [],
  row: (text) => [`${text.match(/(?<!\\)\|/g).length - 1} cells`, ...wordsOf(text)],
  item: wordsOf,
  paragraph: wordsOf,
};

/** @param {Block} block */
export const skeletonOf = ({ kind, text }) => SKELETONS[kind](text);
