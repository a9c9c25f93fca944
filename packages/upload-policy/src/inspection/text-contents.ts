import { type PagedSource, Refusal } from '../files/index.js';
import { createTextReader, isMalformed, type TextEncoding } from './text-encodings.js';

const CHUNK_BYTES = 65_536;

/** The encoding that a byte-order mark shows, and the names under which it is listed. */
interface Mark {
  readonly bytes: Buffer;
  readonly encoding: TextEncoding;
  readonly listedAs: readonly TextEncoding[];
}

const MARKS: readonly Mark[] = [
  { bytes: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le', listedAs: ['utf-16', 'utf-16le'] },
  { bytes: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be', listedAs: ['utf-16', 'utf-16be'] },
  { bytes: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'utf-8', listedAs: ['utf-8'] },
];

/** Without the mark, these can't be distinguished from other encodings. */
const NEEDS_MARK: readonly TextEncoding[] = ['utf-16', 'utf-16le', 'utf-16be'];

/**
 * The C0 controls except for tab, line feed and carriage return, and DEL. They are the same bytes in every encoding
 * that may be listed, except UTF-16.
 */
const C0 = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * The encoding in which the whole file is text. This is the encoding of its byte-order mark if it is listed, or else
 * the first of `encodings` in which its bytes are valid. A control character refuses the file. No further encoding is
 * tried, because the same bytes may be letters in it.
 *
 * @throws Refusal
 */
export async function textEncoding(source: PagedSource, encodings: readonly TextEncoding[]): Promise<TextEncoding> {
  const head = await source.read(0, 3);
  // Browsers obey the mark, regardless of the charset.
  const mark = MARKS.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  const candidates =
    mark === undefined
      ? encodings.filter((encoding) => !NEEDS_MARK.includes(encoding))
      : mark.listedAs.some((name) => encodings.includes(name))
        ? [mark.encoding]
        : [];
  for (const encoding of candidates) {
    if (await isValid(source, encoding)) return encoding;
  }
  throw new Refusal('TEXT_INVALID', 'The file is not a text in any of the accepted encodings');
}

/** @throws Refusal for a control */
async function isValid(source: PagedSource, encoding: TextEncoding): Promise<boolean> {
  const reader = createTextReader(encoding);
  let hasC1 = false;
  const look = (text: string) => {
    if (C0.test(text)) throw controlRefusal();
    hasC1 ||= reader.c1.test(text);
  };
  try {
    for (let position = 0; position < source.size; position += CHUNK_BYTES) {
      look(reader.decode(await source.read(position, CHUNK_BYTES)));
    }
    look(reader.end());
  } catch (error) {
    // A failure of the source is passed on.
    if (isMalformed(error)) return false;
    throw error;
  }
  // This is not checked earlier: bytes that are a C1 control in one encoding may be letters in the next, if the first
  // doesn't fit.
  if (hasC1) throw controlRefusal();
  return true;
}

function controlRefusal(): Refusal {
  return new Refusal('TEXT_INVALID', 'The text contains a control character');
}
