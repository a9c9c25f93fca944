import { describe, expect, test } from 'vitest';
import { files, readSource } from './import-graph.js';

/** Words that a manual does without: private idiom, old words, and those that tell a reader how to feel. */
const UNPLAIN =
  /\b(?:whoever|whomever|dear|dearer|dearest|in earnest|thereby|hereby|whereby|henceforth|amongst|lest|nought|simply|easily|obviously|of course|leverages?|utili[sz]e[sd]?|seamless(?:ly)?|robust(?:ly)?|MOST_[A-Z]\w+)\b/i;

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
