import { SetupError } from '@sallyport/plugin-kit/options';
import { describe, expect, it } from 'vitest';
import { workerFile } from '../../src/workers/index.js';

class DrawSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('DRAW_SETUP_INVALID', subject, faults);
  }
}
const owner = { subject: 'createDrawing', SetupError: DrawSetupError, packageName: '@team/drawing' };

describe("ADP-13 a thread's file", () => {
  it('is found beside the module', () => {
    expect(workerFile('worker-file.test.ts', import.meta.url, owner).href).toBe(import.meta.url);
  });

  it('that a bundle does not carry is refused, with the settings that work', () => {
    const refused = expect.objectContaining({
      code: 'DRAW_SETUP_INVALID',
      message: expect.stringMatching(
        /^createDrawing: .*no-worker\.js is not in the folder of this code.*--external:@team\/drawing for esbuild, ssr\.external: \['@team/,
      ),
    });
    expect(() => workerFile('no-worker.js', import.meta.url, owner)).toThrow(refused);
    // With CommonJS as its format, esbuild leaves import.meta empty.
    expect(() => workerFile('no-worker.js', undefined, owner)).toThrow(refused);
  });
});
