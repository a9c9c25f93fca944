import { readFileSync } from 'node:fs';
import { defineLoader } from 'vitepress';

interface Results {
  readonly measuredAt: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly node: string;
  readonly operations: readonly {
    readonly operation: string;
    readonly microseconds: Readonly<Record<string, number>>;
  }[];
}

declare const data: Results;

export { data };

/** The last whole run of `pnpm bench:envelope`. */
export default defineLoader({
  watch: ['../../../packages/envelope-crypto/bench/results/node-20.json'],
  load([file = '']): Results {
    const { measuredAt, machine, node, operations } = JSON.parse(readFileSync(file, 'utf8')) as Results;
    return { measuredAt, machine, node, operations };
  },
});
