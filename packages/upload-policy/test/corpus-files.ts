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

/** Another project's file, which may not stand in this repository, is read beside it. */
const beside = new URL('../../../../shared/corpus/', import.meta.url);

/** Files of many producers, and of none, with the verdict that each must get. */
export const corpus = JSON.parse(readFileSync(new URL('manifest.json', own), 'utf8')) as Corpus;

/** Null for a file that is neither here nor beside the repository: its test is then skipped, and says so. */
export function corpusBytes({ file }: CorpusFile): Buffer | null {
  const place = [own, beside].map((folder) => new URL(file, folder)).find((url) => existsSync(url));
  return place === undefined ? null : readFileSync(place);
}
