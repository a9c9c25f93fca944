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
  readonly sha256: string;
  readonly uploadName: string;
  readonly mediaType: string;
  readonly expected: ExpectedVerdict;
  readonly reason: string;
  readonly producer: string;
}

interface RawBody {
  readonly id: string;
  readonly contentType: string;
  /** Base64. */
  readonly body: string;
  readonly expected: ExpectedVerdict;
  readonly reason: string;
}

interface Corpus {
  readonly files: readonly CorpusFile[];
  readonly rawMultipart: readonly RawBody[];
}

const own = new URL('corpus/', import.meta.url);

/** Files of other projects that may not be in this repository are read from beside it. */
const beside = new URL('../../../../shared/corpus/', import.meta.url);

/** Files of many producers, and synthetic ones, with their expected verdicts. */
export const corpus = JSON.parse(readFileSync(new URL('manifest.json', own), 'utf8')) as Corpus;

/** Null for a file that is neither here nor beside the repository; its test is then skipped. */
export function corpusBytes({ file }: CorpusFile): Buffer | null {
  const place = [own, beside].map((folder) => new URL(file, folder)).find((url) => existsSync(url));
  return place === undefined ? null : readFileSync(place);
}
