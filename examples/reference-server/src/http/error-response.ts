import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { counterKey } from '@sallyport/client-ip';
import { EnvelopeKeyUnavailableError } from '@sallyport/envelope-crypto';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../storage/database.js';
import { DatabaseUnavailableError } from '../storage/errors.js';
import {
  BodyMalformedError,
  BodyTooLargeError,
  HeadersTooLargeError,
  InternalError,
  MediaTypeUnsupportedError,
  NotFoundError,
  RateLimitedError,
  RequestMalformedError,
  RequestRefusedError,
  RequestTimeoutError,
  UrlMalformedError,
  UrlTooLongError,
  ValidationFailedError,
} from './errors.js';
import { chooseLanguage, type Language, statusTexts } from './language.js';
import { loggedError } from './logging.js';
import { parameterDetail } from './parameter-details.js';
import {
  type CarriedMembers,
  membersOf,
  type Refusal,
  type RefusalClass,
  refusalByCode,
  refusalOf,
} from './refusal.js';
import { newRequestId } from './request-id.js';
import { placeFaults } from './validation-details.js';

/** RFC 9457 with the members of HTTP-2. JSON omits undefined members. */
interface Problem extends CarriedMembers {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
}

const PROBLEM_TYPE = 'application/problem+json';

/** Maps Fastify's error codes to refusals of this service, whose codes are stable. */
const refusalsOfFastify: ReadonlyMap<string, RefusalClass> = new Map<string, RefusalClass>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', BodyTooLargeError],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', MediaTypeUnsupportedError],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', BodyMalformedError],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', BodyMalformedError],
  ['FST_ERR_CTP_INVALID_JSON_BODY', BodyMalformedError],
  ['FST_ERR_BAD_URL', UrlMalformedError],
  ['FST_ERR_MAX_PARAM_LENGTH', UrlTooLongError],
]);

/** The answer to a client for an error. */
interface Answer extends CarriedMembers {
  readonly refusal: Refusal;
  readonly status: number;
}

function answerWith(errorClass: RefusalClass, carried: CarriedMembers = {}): Answer {
  const refusal = refusalOf(errorClass);
  return { refusal, status: refusal.status, ...carried };
}

/** The answer to an error. Every error that is not a refusal becomes an internal error, regardless of its members. */
function answerTo(error: FastifyError & CarriedMembers, language: Language): Answer {
  if (!(error instanceof Error)) return answerWith(InternalError);
  if (error.validation !== undefined) {
    return answerWith(ValidationFailedError, { errors: placeFaults(error.validation, language) });
  }
  if (isDatabaseUnavailable(error)) return answerWith(DatabaseUnavailableError);
  const status = error.statusCode ?? 500;
  const refusal = knownRefusal(error.code);
  if (refusal !== null && status >= 400 && status <= 599) return { refusal, status, ...carriedBy(error, language) };
  if (status < 400 || status > 499) return answerWith(InternalError);
  if (error instanceof SyntaxError) return answerWith(BodyMalformedError);
  return { ...answerWith(RequestRefusedError), status };
}

function knownRefusal(code: unknown): Refusal | null {
  if (typeof code !== 'string') return null;
  const ofFastify = refusalsOfFastify.get(code);
  return ofFastify === undefined ? refusalByCode(code) : refusalOf(ofFastify);
}

function carriedBy(error: CarriedMembers, language: Language): CarriedMembers {
  const { errors, ...others } = membersOf(error);
  const translated = errors?.map(({ pointer, detail }) => ({ pointer, detail: parameterDetail(detail, language) }));
  return { errors: translated, ...others };
}

function problemOf({ refusal, status, ...carried }: Answer, requestId: string, language: Language): Problem {
  const { code, texts } = refusal;
  const title = statusTexts[status]?.[language] ?? STATUS_CODES[status] ?? '';
  return { type: 'about:blank', title, status, detail: texts[language], code, requestId, ...membersOf(carried) };
}

/** Converts errors to answers. All errors pass through it (HTTP-2). */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.send(prepareProblem(error, request, reply));
}

/** Sets status and headers, and stores the note for the log. */
function prepareProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Problem {
  const language = chooseLanguage(request.headers['accept-language']);
  const answer = answerTo(error, language);
  const { code } = answer.refusal;
  request.refusalCode = code;
  request.server.activity.noteRefusal(request, code);
  // envelope-crypto counts these in its own lines: a flood causes one for every request.
  const isLogged = error instanceof EnvelopeKeyUnavailableError;
  if (answer.status >= 500 && !isLogged) logFailure(request, error, answer);
  else request.refusalNote = { code, ...whyRefused(error) };
  // RFC 9110, 15.5.2. The token check has already set a more specific challenge.
  if (answer.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
  // Set the type last: in V8 an object that grows by `type()` stays fast, and one that grows by `header()` beyond 19
  // names does not.
  reply.code(answer.status).header('content-language', language).type(PROBLEM_TYPE);
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds));
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Language' : `${vary}, Accept-Language`);
  return problemOf(answer, request.id, language);
}

/** A refusal takes one line, because its stack matters only for debugging. Any other error is a fault of the server. */
function logFailure({ log }: FastifyRequest, error: FastifyError, { refusal: { code } }: Answer): void {
  if (code === refusalOf(InternalError).code) {
    log.error({ err: error, code }, 'request failed');
    return;
  }
  log.error({ code, ...whyRefused(error) }, 'request failed');
  log.debug({ err: error }, 'where it failed');
}

/**
 * The answer to an operation whose audit record could not be committed. Its own reply, which may be an error, is
 * already being sent (AUD-4).
 */
export function unavailableProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): string {
  return JSON.stringify(prepareProblem(error, request, reply));
}

/** The code that the client receives, for the audit record. */
export function codeForClient(_request: FastifyRequest, error: unknown): string | null {
  return error === null ? null : answerTo(error as FastifyError, 'en').refusal.code;
}

/** The cause of a refusal, for the log only. */
function whyRefused(error: FastifyError): { why?: string } {
  // The message of a parser quotes its input, which may contain a secret.
  if (!(error.cause instanceof Error) || error.cause instanceof SyntaxError) return {};
  return { why: loggedError(error.cause).message };
}

export function refuseUnknownPath(): never {
  throw new NotFoundError();
}

/** Answers requests that reach no route and no hook, such as a target that can't be decoded (SV-07). */
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
  // A flood writes no log lines.
  if (seconds === 0) request.log.info({ ...request.refusalNote, clientIp }, 'request refused by the router');
}

const refusalsOfParser: Readonly<Record<string, RefusalClass>> = {
  HPE_HEADER_OVERFLOW: HeadersTooLargeError,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeoutError,
};

/** How long a refused connection stays open to read the answer, in milliseconds. */
const LINGER_MILLIS = 1000;

const lingering = new WeakSet<Socket>();

/** Answers input that is not HTTP, or is late. Node.js provides only the socket, not a request. */
export function answerClientError(this: FastifyInstance, error: ConnectionError, socket: Socket): void {
  // The parser also refuses the rest of the input.
  if (lingering.has(socket)) return;
  // An answer here would become a part of one that is under way.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy(error);
    return;
  }
  // If the socket is closed with unread input, the connection is reset and the answer is lost.
  lingering.add(socket);
  socket.once('end', () => socket.destroy());
  setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  const answer = answerWith(refusalsOfParser[error.code] ?? RequestMalformedError);
  const requestId = newRequestId();
  socket.end(clientErrorAnswer(answer, requestId));
  noteClientError(this, { answer, requestId, parserCode: error.code, clientIp: socket.remoteAddress });
}

/** Node's own handler of such errors asks the same member, which has no public name. */
function hasBegunAnswer(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

interface ClientErrorNote {
  readonly answer: Answer;
  readonly requestId: string;
  /** The code of Node's parser, such as `HPE_INVALID_TRANSFER_ENCODING`. It contains nothing that the client sent. */
  readonly parserCode: string;
  readonly clientIp: string | undefined;
}

/** Such input reaches no hook, so nothing else counts or logs it. */
function noteClientError(app: FastifyInstance, { answer, requestId, parserCode, clientIp }: ClientErrorNote): void {
  const { code } = answer.refusal;
  app.metrics.noteAnswer({ code, status: answer.status, hadEnvelope: false, hadKey: false });
  // A flood writes no log lines.
  if (clientIp === undefined || app.floodGate.secondsToWait(counterKey(clientIp)) > 0) return;
  app.log.info({ requestId, status: answer.status, code, why: parserCode, clientIp }, 'request refused by the parser');
}

function clientErrorAnswer(answer: Answer, requestId: string): string {
  const body = JSON.stringify(problemOf(answer, requestId, 'en'));
  const headers = {
    'content-type': PROBLEM_TYPE,
    'content-language': 'en',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${body}`;
}
