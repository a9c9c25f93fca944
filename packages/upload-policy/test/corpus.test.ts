import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { inspectUpload, UPLOAD_POLICY_DEFAULTS } from '../src/index.js';
import { corpus, corpusBytes, type ExpectedVerdict } from './corpus-files.js';
import { sourceOf } from './memory-source.js';

/** The verdicts that each word of the legend allows. */
const permits: Readonly<Record<ExpectedVerdict, readonly boolean[]>> = {
  accept: [true],
  'accept-serve-safe': [true],
  refuse: [false],
  'refuse-recommended': [false],
  either: [true, false],
  'accept-or-refuse-bounded': [true, false],
  'refuse-or-clean': [true, false],
  'refuse-or-accept-no-crash': [true, false],
};

describe('the corpus', () => {
  for (const file of corpus.files) {
    const { id, uploadName: fileName, mediaType, expected, sha256 } = file;
    const bytes = corpusBytes(file);
    it.skipIf(lacks(bytes === null ? 'shared-corpus' : null))(
      `UP-01 UPL-3 UPL-4 ${id} ${fileName}: ${expected}`,
      async () => {
        expect(createHash('sha256').update(bytes!).digest('hex')).toBe(sha256);
        const inspect = () => inspectUpload({ fileName, mediaType, source: sourceOf(bytes!) }, UPLOAD_POLICY_DEFAULTS);
        const verdict = await inspect();
        expect(permits[expected], JSON.stringify(verdict)).toContain(verdict.accepted);
        // A second inspection has the same result.
        expect(await inspect()).toEqual(verdict);
      },
    );
  }

  it('UP-01 is complete', () => {
    expect(corpus.files).toHaveLength(53);
    expect(corpus.rawMultipart).toHaveLength(4);
  });
});
