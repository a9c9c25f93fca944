import { type PagedSource, Refusal } from '../files/index.js';

const CHUNK_BYTES = 65_536;

/** Encodings with a byte-order mark. */
const MARKED_ENCODINGS: readonly (readonly [mark: Buffer, encoding: string])[] = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
];

const NUL = /\0/;

/** Nearly any bytes are valid in a legacy encoding, so there control characters that no text has reveal binaries. */
const BINARY_CONTROLS = /[\0-\x08\x0e-\x19\x1c-\x1f\x7f]/;

/**
 * The encoding in which the whole file is text without NUL: that of its byte-order mark, or else the first of
 * `encodings` that fits. Requirement UPL-4.
 *
 * @throws Refusal
 */
export async function textEncoding(source: PagedSource, encodings: readonly string[]): Promise<string> {
  const head = await source.read(0, 3);
  const marked = MARKED_ENCODINGS.find(([mark]) => head.subarray(0, mark.length).equals(mark));
  for (const encoding of marked === undefined ? encodings : [marked[1]]) {
    if (await isText(source, encoding)) return encoding;
  }
  throw new Refusal('TEXT_INVALID', 'The file is not a text');
}

async function isText(source: PagedSource, encoding: string): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const forbidden = encoding.startsWith('utf-') ? NUL : BINARY_CONTROLS;
  try {
    for (let position = 0; position < source.size; position += CHUNK_BYTES) {
      const text = decoder.decode(await source.read(position, CHUNK_BYTES), { stream: true });
      if (forbidden.test(text)) return false;
    }
    return !forbidden.test(decoder.decode());
  } catch (error) {
    // TextDecoder throws this for malformed bytes. A failure of the source is passed on.
    if (error instanceof TypeError && (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return false;
    }
    throw error;
  }
}
