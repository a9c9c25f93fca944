import { maskSensitive, maskText } from '@sallyport/masking';
import { DrizzleQueryError } from 'drizzle-orm';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import fp from 'fastify-plugin';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.js';

/** Maximum depth of a chain of causes: enough for driver, ORM and application. */
const MAX_CAUSES = 5;

/** Maximum length of an error message, in characters (AU-16: a bounded summary). */
const MAX_MESSAGE_LENGTH = 500;

type LoggedError = {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: LoggedError;
};

/**
 * An error in the form that the log contains: class, code, message, frames and causes. Other properties are omitted.
 * Database errors carry the statement's parameters, including password hashes and session records, both as properties
 * and in the message.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an error was thrown', stack: '' };
  const { code } = error as { code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.constructor.name,
    ...(typeof code === 'string' && { code }),
    message: maskText(withoutParameters(error), MAX_MESSAGE_LENGTH),
    stack: frames.join('\n'),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

function withoutParameters(error: Error): string {
  return error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message;
}

/**
 * The path of a request target. Queries are never logged, because they may carry an access token or an envelope (AT-21,
 * EC-46).
 */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

function linesForPeople(): NodeJS.WritableStream {
  return pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', singleLine: true, sync: true });
}

/**
 * Properties with their own serializers, which need the original object, and checkpoints, which must stay verifiable.
 */
const UNMASKED = ['err', 'req', 'res', 'auditCheckpoint'];

/** AUD-3: masks the properties of a log call as in the audit log, at any depth. */
function maskEntry(entry: Record<string, unknown>): Record<string, unknown> {
  if (entry instanceof AnsweredRequest) return entry;
  const kept: Record<string, unknown> = {};
  const masked: Record<string, unknown> = {};
  for (const name of Object.keys(entry)) (UNMASKED.includes(name) ? kept : masked)[name] = entry[name];
  return Object.assign(kept, maskSensitive(masked));
}

/**
 * Logger options. Headers, bodies and query strings are never logged. The masking is a second safeguard, for properties
 * of future log calls.
 */
export function loggerOptions(
  config: Config,
  stream?: NodeJS.WritableStream,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level: config['log-level'],
    formatters: { log: maskEntry },
    serializers: {
      err: (error: unknown) => loggedError(error),
      req: (request: { method: string; url: string }) => ({ method: request.method, path: pathOf(request.url) }),
      res: (reply: { statusCode: number }) => ({ statusCode: reply.statusCode }),
    },
    ...(stream !== undefined && { stream }),
    ...(stream === undefined && config.profile === 'development' && { stream: linesForPeople() }),
  };
}

/** The reason why a request was refused, for its log line. */
interface RefusalNote {
  readonly code: string;
  readonly why?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request was refused (4xx). */
    refusalNote: RefusalNote | null;
  }
}

/**
 * The entry of a request. Of its members, the path and the reason of a refusal alone may hold a secret. The others are
 * known words, patterns and numbers, so they need no masking, which would cost more than the rest of the line.
 */
class AnsweredRequest implements Record<string, unknown> {
  [member: string]: unknown;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    const { refusalNote } = request;
    this.method = request.method;
    this.path = maskSensitive(pathOf(request.url));
    this.route = request.routeOptions.url;
    this.status = reply.statusCode;
    if (refusalNote !== null) Object.assign(this, maskSensitive(refusalNote));
    this.millis = Math.round(reply.elapsedTime);
    this.clientIp = request.clientIp;
  }
}

/**
 * Logs one line per request, when it is answered. Requests that the flood gate refused are not logged: writing the
 * lines would aid the flood.
 */
async function requestLogPlugin(app: FastifyInstance): Promise<void> {
  app.decorateRequest('refusalNote', null);
  app.addHook('onResponse', function logRequest(request: FastifyRequest, reply: FastifyReply, done) {
    if (!request.floodRefused) writeLine(request, reply);
    done();
  });

  function writeLine(request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(new AnsweredRequest(request, reply), 'request answered');
  }
}

export const requestLog = fp(requestLogPlugin, { fastify: '5.x', name: 'request-log' });
