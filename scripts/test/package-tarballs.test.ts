import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeStaleOutputs } from '../package-tarballs.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-outputs-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what is packed', () => {
  it('has no output of a source that was removed or moved', () => {
    mkdirSync(join(folder, 'src/keys'), { recursive: true });
    mkdirSync(join(folder, 'dist/keys'), { recursive: true });
    writeFileSync(join(folder, 'src/index.ts'), '');
    writeFileSync(join(folder, 'src/keys/worker.js'), '');
    const endings = ['.js', '.js.map', '.d.ts', '.d.ts.map'];
    const outputs = (stem: string) => endings.map((ending) => `${stem}${ending}`);
    const kept = [...outputs('index'), ...outputs('keys/worker'), '.tsbuildinfo', 'picture.png'];
    const stale = [...outputs('keys'), ...outputs('keys/ring')];
    for (const path of [...kept, ...stale]) writeFileSync(join(folder, 'dist', path), '');
    expect(removeStaleOutputs(folder).sort()).toEqual(stale.sort());
    expect(kept.filter((path) => !existsSync(join(folder, 'dist', path)))).toEqual([]);
    expect(stale.filter((path) => existsSync(join(folder, 'dist', path)))).toEqual([]);
    expect(removeStaleOutputs(join(folder, 'unbuilt'))).toEqual([]);
  });
});
