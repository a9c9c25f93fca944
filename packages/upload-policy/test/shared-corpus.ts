import { existsSync, readFileSync } from 'node:fs';

/** A verdict in the words of the manifest's legend. */
export type ExpectedVerdict =
  | 'accept'
  | 'refuse'
  | 'either'
  | 'accept-serve-safe'
  | 'accept-or-refuse-bounded'
  | 'refuse-recommended'
  | 'refuse-or-clean'
  | 'refuse-or-accept-no-crash';

export interface CorpusFile {
  readonly id: string;
  readonly file: string;
  readonly upload_name: string;
  readonly mime: string;
  readonly expected: ExpectedVerdict;
  readonly reason: string;
  readonly producer: string;
}

export interface RawBody {
  readonly id: string;
  readonly content_type: string;
  readonly body_b64: string;
  readonly expected: ExpectedVerdict;
  readonly reason: string;
}

export interface Corpus {
  readonly files: readonly CorpusFile[];
  readonly raw_multipart: readonly RawBody[];
}

const folder = new URL('../../../../shared/corpus/', import.meta.url);

/**
 * The corpus beside the repository: files of many producers and of none, with the verdict each must get. Null where
 * that folder is absent: the test is then skipped, and says so.
 */
export function sharedCorpus(): Corpus | null {
  const manifest = new URL('manifest.json', folder);
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as Corpus) : null;
}

export function corpusBytes({ file }: CorpusFile): Buffer {
  return readFileSync(new URL(file.replace(/^shared\//, ''), folder));
}
