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

const file = new URL('../../../packages/envelope-crypto/bench/results/node-20.json', import.meta.url);

/** The last whole run of `pnpm bench:envelope`. Not watched, as in operations.data.ts. */
export default defineLoader({
  load(): Results {
    const { measuredAt, machine, node, operations } = JSON.parse(readFileSync(file, 'utf8')) as Results;
    return { measuredAt, machine, node, operations };
  },
});
