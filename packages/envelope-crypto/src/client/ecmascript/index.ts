import type { TextDecoding, TextEncoding } from '../../wire/index.js';
import type { ParseUrl } from '../connection/index.js';
import type { CreateResponse } from '../opened-response.js';
import { createPlainResponse } from './plain-response.js';
import { parseStrictUrl } from './strict-url.js';
import { decodeText, encodeText } from './text-coding.js';

/**
 * Options of `createEnvelopeClient` for an environment that has only ECMAScript, such as QuickJS: text coding, URLs and
 * responses. You have to add `fetch` and `random`. No global is read.
 *
 * URLs must be in normal form, because the transport has its own parser: no capitals in the host, no `.` and `..`
 * segments, no spaces and quotes. Others are refused.
 *
 * @example
 * ```ts
 * import { ecmaScript } from '@sallyport/envelope-crypto/client/ecmascript';
 *
 * const random = (length: number) => crypto.getRandomValues(new Uint8Array(length)); // of the place
 * export const client = createEnvelopeClient({ baseUrl: 'https://api.example.com', fetch, random, ...ecmaScript });
 * ```
 */
export const ecmaScript: {
  readonly encodeText: TextEncoding;
  readonly decodeText: TextDecoding;
  readonly parseUrl: ParseUrl;
  readonly createResponse: CreateResponse;
  readonly whenIdle: (work: () => void) => void;
} = {
  encodeText,
  decodeText,
  parseUrl: parseStrictUrl,
  createResponse: createPlainResponse,
  // There is no timer, so the first request builds the tables.
  whenIdle: () => {},
};
