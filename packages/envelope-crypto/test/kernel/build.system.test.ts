import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileKernel, embed } from '../../kernel/build.mjs';
import { generatedSources } from '../../kernel/generate/main.mjs';
import { embeddedKernel } from '../../src/kernel/load-kernel.js';

const sourceOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the build of the kernel', () => {
  it('ENV-8 embeds exactly the bytes that its sources compile to, at most 64 KiB', {
    timeout: 180_000,
  }, async () => {
    for (const [name, text] of Object.entries(generatedSources())) {
      expect(sourceOf(`kernel/assembly/generated/${name}`), `${name} (pnpm run build:kernel)`).toBe(text);
    }
    const compiled = await compileKernel();
    expect(sourceOf('src/kernel/module.generated.ts'), 'pnpm run build:kernel').toBe(embed(compiled));
    expect(Buffer.from(embeddedKernel()).equals(compiled)).toBe(true);
    expect(embeddedKernel().length).toBeLessThanOrEqual(64 * 1024);
  });
});
