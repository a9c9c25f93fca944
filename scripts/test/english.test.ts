import { describe, expect, test } from 'vitest';
import { files, readSource } from './import-graph.js';

/** Words that a manual does without: private idiom, old words, and those that tell a reader how to feel. */
const UNPLAIN =
  /\b(?:whoever|whomever|dear|dearer|dearest|in earnest|thereby|hereby|whereby|henceforth|amongst|lest|nought|simply|easily|obviously|of course|leverages?|utili[sz]e[sd]?|seamless(?:ly)?|robust(?:ly)?|MOST_[A-Z]\w+)\b/i;

/**
 * Habits of comments in the packages and in the server. `What it does.` has no subject, `beside` and `tells` are read
 * twice where `in addition to` and `shows` are not, and a route is registered before the plugin, not older than it.
 */
const HABITS =
  /\b(?:besides?|tells|older than the plugin|for ever|anew|all the same|somebody|whatever|what becomes of|any more)\b/i;
/** The habits that no page and no message has either. Names of files and checks are no prose. */
const HABITS_OF_PROSE = /(?<![-.\w])(?:besides?|tells|older than the plugin)\b(?!-)/i;
const FRAGMENT = /^(?:What|Who|Whose|Where|Of)\b/;

/** A sentence ends at a full stop, a colon or a semicolon. Code in it counts as one word. */
const MAX_WORDS = 45;

const isEnglish = (path: string) => !/(?:^|\/)zh\/|zh-CN/.test(path);

/** Texts that are quoted as they are: licences, lists of passwords, this list. */
const isQuoted = (path: string) =>
  /(?:^|\/)LICENSE|generated|vectors\/|CODE_OF_CONDUCT|pnpm-lock|english\.test\.ts$/.test(path);

const texts = files.filter(
  (path) => /\.(?:md|ts|tsx|mjs|js|vue|java|sh)$/.test(path) && isEnglish(path) && !isQuoted(path),
);
const pages = texts.filter((path) => path.endsWith('.md'));

/** The sentences of a page: of its paragraphs, list items and table cells. */
function sentencesOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/```.*?```|<!--.*?-->/gs, '').replaceAll(/`[^`]*`/g, 'code');
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.))|\|/)
    .flatMap((block) => block.split(/(?<=[.!?:;]\)?)\s+/))
    .map((sentence) =>
      sentence
        .replaceAll(/\]\([^)]*\)/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
}

/** The lines of comments, with their number and whether a comment begins there. */
function commentLines(source: string): { line: number; text: string; begins: boolean }[] {
  let wasOpened = false;
  let wasLine = false;
  return source.split('\n').flatMap((code, index) => {
    const [, mark, text = ''] = /^\s*(\/\*\*|\*|\/\/)(?: |$)(.*?)(?:\*\/)?$/.exec(code) ?? [];
    const begins = mark === '*' ? wasOpened : mark === '/**' ? text !== '' : mark === '//' && !wasLine;
    wasOpened = mark === '/**' && text === '';
    wasLine = mark === '//';
    return mark === undefined ? [] : [{ line: index + 1, text, begins }];
  });
}

const habitsOf = (source: string) =>
  commentLines(source).flatMap(({ line, text, begins }) => {
    const found = HABITS.exec(text) ?? (begins ? FRAGMENT.exec(text) : null);
    return found === null ? [] : [`${line}: ${found[0]}`];
  });

const wordsOf = (sentence: string) => sentence.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu) ?? [];

const longSentences = (markdown: string) =>
  sentencesOf(markdown).filter((sentence) => wordsOf(sentence).length > MAX_WORDS);

describe('the English', () => {
  test('DOC-2 has no private idiom, in no page, comment or text', () => {
    expect(texts.length).toBeGreaterThan(1000);
    const faults = texts.flatMap((path) =>
      readSource(path)
        .split('\n')
        .flatMap((line, index) => (UNPLAIN.test(line) ? [`${path}:${index + 1}: ${UNPLAIN.exec(line)![0]}`] : [])),
    );
    expect(faults).toEqual([]);
  });

  test('DOC-2 has whole sentences in the comments of the packages and of the server', () => {
    const comments = texts.filter((path) => /^(?:packages\/[^/]+|examples\/reference-server)\/src\//.test(path));
    expect(comments.length).toBeGreaterThan(500);
    expect(comments.flatMap((path) => habitsOf(readSource(path)).map((habit) => `${path}:${habit}`))).toEqual([]);
  });

  test('DOC-2 says next to, shows and registered before in every page, comment and message, tests apart', () => {
    const read = texts.filter((path) => !/(?:^|\/)test\/|CHANGELOG\.md$/.test(path));
    const faults = read.flatMap((path) =>
      readSource(path)
        .split('\n')
        .flatMap((line, index) => (HABITS_OF_PROSE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(faults).toEqual([]);
  });

  test('DOC-2 a habit is found in every form of a comment, and code is none', () => {
    const source = [
      '/** What it does. */',
      'const besides = "tells"; // a trailing one is not read',
      '/**',
      ' * Of the plugin. It stands',
      ' * beside it.',
      ' */',
      '// Adds a route.',
      '// Where it is read.',
    ];
    expect(habitsOf(source.join('\n'))).toEqual(['1: What', '4: Of', '5: beside']);
  });

  test('DOC-2 has short sentences on every page', () => {
    expect(pages.length).toBeGreaterThan(50);
    const faults = pages.flatMap((path) => longSentences(readSource(path)).map((sentence) => `${path}: ${sentence}`));
    expect(faults).toEqual([]);
  });

  test('DOC-2 a long sentence is found in a paragraph and in a cell, and code and lists are no sentence', () => {
    const long = Array.from({ length: MAX_WORDS + 1 }, (_, index) => `word${index}`).join(' ');
    expect(longSentences(`Short.\n${long}\n\n| a | ${long} |\n`)).toEqual([long, long]);
    expect(
      longSentences(`\`\`\`\n${long}\n\`\`\`\n\n\`${long}\`\n\n${'- five words in each item\n'.repeat(20)}`),
    ).toEqual([]);
  });
});
