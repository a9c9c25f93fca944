import { NotRunError } from './not-run.js';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON, or null. */
  readonly json: Body | null;
  /** The code of a refusal, or ''. */
  readonly code: string;
  readonly requestId: string;
}

/** A body of this service. A check validates what it reads from it. */
export interface Body {
  // biome-ignore lint/suspicious/noExplicitAny: a server may send anything; every check validates what it reads
  readonly data?: any;
  readonly page?: { readonly total: number };
  readonly code?: string;
  readonly [member: string]: unknown;
}

/**
 * The longest answer that is read, in bytes. No check asks for as much; a hostile deployment could send without end.
 */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Reads a body to its end.
 *
 * @throws NotRunError where it is longer than any answer of this service
 */
export async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new NotRunError(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function readAnswer(status: number, headers: Answer['headers'], bytes: Buffer): Answer {
  const text = bytes.toString('utf8');
  const json = parse(text);
  const code = typeof json?.code === 'string' ? json.code : '';
  return { status, headers, bytes, text, json, code, requestId: headers.get('x-request-id') ?? '' };
}

function parse(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}

/** Status and code, as reports show an answer. */
export function inShort({ status, code }: Pick<Answer, 'status' | 'code'>): string {
  return code === '' ? String(status) : `${status} ${code}`;
}

/** The answer of a step that the check depends on. @throws NotRunError */
export function must(answer: Answer, status: number, what: string): Answer {
  if (answer.status === status) return answer;
  const isRight = answer.status === 403 && ['PERMISSION_DENIED', 'GRANT_NOT_HELD'].includes(answer.code);
  const advice = isRight
    ? ": the token's administrator lacks the right"
    : answer.code === 'STEP_UP_REQUIRED'
      ? ': the sign-in of the token is too old for this: sign in again, and give the new token'
      : '';
  throw new NotRunError(`could not ${what}: the answer was ${inShort(answer)}${advice}`);
}
