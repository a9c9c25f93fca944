import { describe, expect, it } from 'vitest';
import { inspectUpload, UPLOAD_POLICY_DEFAULTS } from '../src/index.js';
import { sourceOf } from './memory-source.js';
import { type CorpusFile, corpusBytes, type ExpectedVerdict, sharedCorpus } from './shared-corpus.js';

const corpus = sharedCorpus();

/** What each word of the legend lets a verdict be. */
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

const inspect = (file: CorpusFile) =>
  inspectUpload(
    { fileName: file.upload_name, mediaType: file.mime, source: sourceOf(corpusBytes(file)) },
    UPLOAD_POLICY_DEFAULTS,
  );

describe.skipIf(corpus === null)(
  `the corpus beside the repository${corpus === null ? ' (absent: SKIPPED)' : ''}`,
  () => {
    const files = corpus?.files ?? [];

    it.each(files.map((file) => [file.id, file.upload_name, file.expected, file] as const))(
      'UP-01 UPL-3 UPL-4 %s %s: %s',
      async (_id, _name, expected, file) => {
        const verdict = await inspect(file);
        expect(permits[expected], JSON.stringify(verdict)).toContain(verdict.accepted);
        // The same every time.
        expect(await inspect(file)).toEqual(verdict);
      },
    );
  },
);
