import { readFileSync } from 'node:fs';
import { defineLoader } from 'vitepress';

/** A stage of a request. Functions are those of the stack trace. */
export interface Stage {
  readonly number: number;
  readonly hook: string;
  readonly name: string;
  readonly by: string;
  readonly refusesWith: readonly string[];
  /** Whether a refusal is recorded and sealed, in words. */
  readonly refusal: string;
}

declare const data: { readonly english: readonly Stage[]; readonly chinese: readonly Stage[] };

export { data };

const stagesOf = (page: string): readonly Stage[] =>
  readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^\| \d+ /.test(line))
    .map((line) => {
      const [number = '', hook = '', name = '', by = '', , refusals = '', refusal = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.replaceAll('`', '').trim());
      const refusesWith = refusals === '' ? [] : refusals.split(', ');
      return { number: Number(number), hook, name, by, refusesWith, refusal };
    });

/** The table of each page is the source of its figure. A test compares the English one with the recorded order. */
export default defineLoader({
  watch: ['../../processing-order.md', '../../zh/processing-order.md'],
  load: (pages) => {
    const [chinese = '', english = ''] = [...pages].sort((a, b) => b.length - a.length);
    return { english: stagesOf(english), chinese: stagesOf(chinese) };
  },
});
