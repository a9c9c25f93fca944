import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { counterKey } from '@sallyport/client-ip';
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../storage/database.js';
import { chooseLanguage, detailTexts, type Language, statusTexts } from './error-texts.js';
import { DatabaseUnavailableError, NotFoundError, RateLimitedError } from './errors.js';
import { loggedError } from './logging.js';
import { parameterDetail } from './parameter-details.js';
import { newRequestId } from './request-id.js';
import { type PlaceFault, placeFaults } from './validation-details.js';

/** Members that a refusal of ours or of a plugin may carry to the client. Nothing else of an error ever leaves. */
interface CarriedMembers {
  readonly errors?: readonly PlaceFault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly serverTime?: number | undefined;
  readonly clientAction?: string | undefined;
}

/** RFC 9457 with the members of HTTP-2. JSON leaves out what is undefined. */
interface Problem extends CarriedMembers {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
}

const PROBLEM_TYPE = 'application/problem+json';

interface Refusal extends CarriedMembers {
  readonly status: number;
  readonly code: string;
}

/** Fastify's own errors by the codes of this service, which stay when Fastify's change. */
const codesOfFastify: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BODY_MALFORMED',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BODY_MALFORMED',
  FST_ERR_CTP_INVALID_JSON_BODY: 'BODY_MALFORMED',
  FST_ERR_BAD_URL: 'URL_MALFORMED',
  FST_ERR_MAX_PARAM_LENGTH: 'URL_TOO_LONG',
};

const INTERNAL_ERROR: Refusal = { status: 500, code: 'INTERNAL_ERROR' };

/** What the client is told. An error that nobody made for clients is an internal one, whatever it carries. */
function refusalOf(error: FastifyError & CarriedMembers, language: Language): Refusal {
  if (!(error instanceof Error)) return INTERNAL_ERROR;
  if (error.validation !== undefined) {
    return { status: 400, code: 'VALIDATION_FAILED', errors: placeFaults(error.validation, language) };
  }
  if (isDatabaseUnavailable(error)) return { status: 503, code: new DatabaseUnavailableError().code };
  const status = error.statusCode ?? 500;
  const code = codesOfFastify[error.code] ?? error.code;
  const known = typeof code === 'string' && Object.hasOwn(detailTexts, code);
  if (known && status >= 400 && status <= 599) return { status, code, ...carriedMembers(error, language) };
  if (status < 400 || status > 499) return INTERNAL_ERROR;
  if (error instanceof SyntaxError) return { status: 400, code: 'BODY_MALFORMED' };
  return { status, code: 'REQUEST_REFUSED' };
}

function carriedMembers(
  { errors, retryAfterSeconds, serverTime, clientAction }: CarriedMembers,
  language: Language,
): CarriedMembers {
  return {
    errors: errors?.map(({ pointer, detail }) => ({ pointer, detail: parameterDetail(detail, language) })),
    retryAfterSeconds,
    serverTime,
    clientAction,
  };
}

function problemOf(refusal: Refusal, requestId: string, language: Language): Problem {
  const { status, code, errors, retryAfterSeconds, serverTime, clientAction } = refusal;
  const title = statusTexts[status]?.[language] ?? STATUS_CODES[status] ?? '';
  const detail = detailTexts[code]?.[language] ?? title;
  const carried = { errors, retryAfterSeconds, serverTime, clientAction };
  return { type: 'about:blank', title, status, detail, code, requestId, ...carried };
}

/** The one place where an error becomes an answer (HTTP-2). */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.send(prepareProblem(error, request, reply));
}

/** Sets status and headers, and says it to the log. */
function prepareProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Problem {
  const language = chooseLanguage(request.headers['accept-language']);
  const refusal = refusalOf(error, language);
  request.refusalCode = refusal.code;
  if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
  else request.refusalNote = { code: refusal.code, ...whyRefused(error) };
  // RFC 9110, 15.5.2. The token check has more to say, and has said it.
  if (refusal.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
  // The type last of these two: V8 keeps an object quick that grows by `type()`, and by `header()` beyond 19 names not.
  reply.code(refusal.status).header('content-language', language).type(PROBLEM_TYPE);
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Language' : `${vary}, Accept-Language`);
  return problemOf(refusal, request.id, language);
}

/** The same for an operation that could not be recorded, whose reply, maybe an error's, is on its way already (AUD-4). */
export function unavailableProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): string {
  return JSON.stringify(prepareProblem(error, request, reply));
}

/** The code that the client is told, for the audit record. */
export function codeForClient(_request: FastifyRequest, error: unknown): string | null {
  return error === null ? null : refusalOf(error as FastifyError, 'en').code;
}

/** A refusal tells the client little; the log learns why. */
function whyRefused(error: FastifyError): { why?: string } {
  // The message of a parser quotes what it could not parse, and that may be a secret.
  if (!(error.cause instanceof Error) || error.cause instanceof SyntaxError) return {};
  return { why: loggedError(error.cause).message };
}

export function refuseUnknownPath(): never {
  throw new NotFoundError();
}

/** Requests that no route and no hook ever sees, such as a target that can't be decoded (SV-07). */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff');
  const { remoteAddress } = request.raw.socket;
  const clientIp = request.server.clientIp.resolve(remoteAddress, request.raw.headers);
  const seconds = request.server.floodGate.secondsToWait(counterKey(clientIp));
  answerError(seconds === 0 ? error : new RateLimitedError(seconds), request, reply);
  const { requests, noteAnswer } = request.server.metrics;
  requests.count(request.method, null, reply.statusCode, 0);
  noteAnswer({ code: request.refusalCode, status: reply.statusCode, hadEnvelope: false, hadKey: false });
  // A flood leaves no lines.
  if (seconds === 0) request.log.info({ ...request.refusalNote, clientIp }, 'request refused by the router');
}

const refusalsOfParser: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'HEADERS_TOO_LARGE' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'REQUEST_TIMEOUT' },
};

/** How long a refused client has to read its answer and to stop sending, in milliseconds. */
const LINGER_MILLIS = 1000;

const lingering = new WeakSet<Socket>();

/** What isn't HTTP, or not in time: Node has no request to hand over, only the socket. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  // The rest of what was refused, which the parser goes on to refuse.
  if (lingering.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  // Closed at once, with bytes unread, the connection would be reset, and the answer lost on its way.
  lingering.add(socket);
  socket.once('end', () => socket.destroy());
  setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  socket.end(clientErrorAnswer(refusalsOfParser[error.code] ?? { status: 400, code: 'REQUEST_MALFORMED' }));
}

function clientErrorAnswer(refusal: Refusal): string {
  const requestId = newRequestId();
  const body = JSON.stringify(problemOf(refusal, requestId, 'en'));
  const headers = {
    'content-type': PROBLEM_TYPE,
    'content-language': 'en',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`;
}
