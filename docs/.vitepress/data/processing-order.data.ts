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

declare const data: readonly Stage[];

export { data };

/** The table of the page is the source of its figure. A test compares it with the order that is recorded. */
export default defineLoader({
  watch: ['../../processing-order.md'],
  load: ([page = '']): readonly Stage[] =>
    readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => /^\| \d+ /.test(line))
      .map((line) => {
        const [number = '', hook = '', name = '', by = '', , refusals = '', refusal = ''] = line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.replaceAll('`', '').trim());
        return {
          number: Number(number),
          hook,
          name,
          by,
          refusesWith: refusals === '' ? [] : refusals.split(', '),
          refusal,
        };
      }),
});
