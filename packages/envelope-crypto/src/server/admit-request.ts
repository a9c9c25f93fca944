import { EnvelopeMalformedError, EnvelopeRequiredError, EnvelopeVersionUnsupportedError } from '../errors.js';
import type { EnvelopeSuite } from '../suites/index.js';
import {
  bindAuthorization,
  bindIdempotencyKey,
  type Carrier,
  ENVELOPE_HEADER,
  ENVELOPE_PARAMETER,
  ENVELOPE_VERSION,
  mediaTypeOf,
  type RequestBinding,
  splitTarget,
} from '../wire/index.js';
import { decodeBase64url, encodeBase64url } from './node-base64url.js';

/** A request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** The request target as sent on the request line. */
  readonly target: string;
  /** Names and values alternately, as received. A header that was sent twice occurs twice. */
  readonly rawHeaders: readonly string[];
  /** The parsed query, as a handler would see it. */
  readonly query: unknown;
  readonly hasBody: boolean;
}

/** The further processing of a request that is not refused. */
export type Admission =
  | { readonly kind: 'plaintext' }
  | { readonly kind: 'query'; readonly binding: RequestBinding; readonly text: Uint8Array }
  | { readonly kind: 'body'; readonly binding: RequestBinding };

/**
 * Step 0 of the protocol, and the checks of step 1 that need only the head of the request. Not called for exempt routes
 * or in mode OFF. Throws the refusal.
 */
export function admitRequest(head: RequestHead, mode: 'OPTIONAL' | 'REQUIRED', suite: EnvelopeSuite): Admission {
  const versions = headerLines(head, ENVELOPE_HEADER);
  if (versions.length === 0) return admitPlaintext(head, mode);
  if (versions.length > 1 || versions[0] !== ENVELOPE_VERSION) throw new EnvelopeVersionUnsupportedError();
  return admitEnvelope(head, suite);
}

function admitPlaintext({ query }: RequestHead, mode: 'OPTIONAL' | 'REQUIRED'): Admission {
  if (mode === 'REQUIRED') throw new EnvelopeRequiredError();
  // An envelope whose header was lost in transit must not reach a handler as an ordinary parameter.
  if (typeof query === 'object' && query !== null && Object.hasOwn(query, ENVELOPE_PARAMETER)) {
    throw malformed(`${ENVELOPE_PARAMETER} without the header`);
  }
  return { kind: 'plaintext' };
}

function admitEnvelope(head: RequestHead, suite: EnvelopeSuite): Admission {
  const target = splitTarget(head.target);
  if (target === null) throw malformed('the request target is not in origin form of visible ASCII without #');
  const authorization = bindAuthorization(soleHeader(head, 'authorization'), suite, encodeBase64url);
  const idempotencyKey = bindIdempotencyKey(soleHeader(head, 'idempotency-key'));
  if (idempotencyKey === null) throw malformed('Idempotency-Key is not 1 to 255 visible ASCII characters, or is "-"');
  // The members are listed, because V8 gives an object that grows out of a spread a new shape, and repeats every
  // property look-up.
  const bind = (carrier: Carrier): RequestBinding => ({
    carrier,
    method: head.method,
    path: target.path,
    authorization,
    idempotencyKey,
  });

  if (target.query === null && head.hasBody && head.method !== 'GET' && head.method !== 'HEAD') {
    requireJson(head);
    return { kind: 'body', binding: bind('body') };
  }
  if (head.hasBody) throw malformed('a body together with the query envelope, or on GET or HEAD');
  if (target.query === null) throw malformed('the header without an envelope');
  return { kind: 'query', binding: bind('query'), text: decodeParameter(target.query) };
}

function requireJson(head: RequestHead): void {
  const contentType = soleHeader(head, 'content-type');
  if (contentType !== 'application/json' && (contentType === null || mediaTypeOf(contentType) !== 'application/json')) {
    throw malformed('the content type is not application/json');
  }
  if (headerLines(head, 'content-encoding').length > 0) throw malformed('the body has a content encoding');
  const codings = headerLines(head, 'transfer-encoding');
  // HTTP-7: Node.js passes on a compressed body unchanged.
  if (codings.length > 0 && codings.join().trim().toLowerCase() !== 'chunked') {
    throw malformed('the body has another transfer coding than chunked');
  }
}

function decodeParameter(query: string): Uint8Array {
  const [name, value, ...others] = query.split('=');
  // Padding, a second parameter and escapes fail here or because of the alphabet. Nothing is parsed, so parsers can't
  // differ.
  if (name !== ENVELOPE_PARAMETER || value === undefined || others.length > 0) {
    throw malformed(`the query is not ${ENVELOPE_PARAMETER}= and a value`);
  }
  const text = decodeBase64url(value);
  if (text === null) throw malformed(`${ENVELOPE_PARAMETER} is not base64url`);
  return text;
}

/** The values of a header, one for each line. */
function headerLines({ rawHeaders }: RequestHead, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    // The length excludes nearly all names first, because this runs for every header of every request.
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

function soleHeader(head: RequestHead, name: string): string | null {
  const values = headerLines(head, name);
  if (values.length > 1) throw malformed(`the header ${name} was sent more than once`);
  return values[0] ?? null;
}

function malformed(reason: string): EnvelopeMalformedError {
  return new EnvelopeMalformedError({ cause: new Error(reason) });
}
