import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf, repository } from './pages.js';

interface Page {
  readonly address: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Writes `llms.txt`, the list of the English pages with their first sentence, and `llms-full.txt`, their whole text, as
 * llmstxt.org describes them.
 *
 * @param files of the pages, from the root of the repository
 */
export function writeTextsForModels(files: readonly string[], folder: string, about: { title: string; says: string }) {
  const pages = files.flatMap(readPage).sort((one, other) => (one.address < other.address ? -1 : 1));
  const list = pages.map(({ address, title, text }) => `- [${title}](${address}): ${firstSentenceOf(text)}`);
  const head = `# ${about.title}\n\n> ${about.says}\n`;
  writeFileSync(join(folder, 'llms.txt'), `${head}\n## Pages\n\n${list.join('\n')}\n`);
  const whole = pages.map(({ address, text }) => `<!-- ${address} -->\n\n${text.trim()}\n`);
  writeFileSync(join(folder, 'llms-full.txt'), `${head}\n${whole.join('\n')}`);
}

function readPage(file: string): Page[] {
  const page = pageOf(file);
  if (page === undefined || page.startsWith('zh/')) return [];
  const text = readFileSync(join(repository, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
  const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
  return [{ address: `/${page.replace(/\.md$/, '.html')}`, title, text }];
}

/** Of the first paragraph that is prose, without links. A page of a reference begins with the link to its package. */
function firstSentenceOf(text: string): string {
  const isProse = (part: string) => /^[A-Z[]/.test(part) && !part.includes('says what it is, and how to install it');
  const prose = text.split(/\n{2,}/).find((part) => isProse(part.trim())) ?? '';
  const plain = prose.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ');
  return (/^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
