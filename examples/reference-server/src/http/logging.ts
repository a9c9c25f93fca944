import { maskSensitive, maskText } from '@sallyport/audit-log';
import { DrizzleQueryError } from 'drizzle-orm';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import fp from 'fastify-plugin';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.js';

/** The deepest chain of causes that is written: enough for driver, ORM and ours. */
const MAX_CAUSES = 5;

/** The longest message of an error that is written, in characters (AU-16: a bounded summary). */
const MAX_MESSAGE_LENGTH = 500;

/** Masking reads some more, so that no secret is cut in two and overlooked. */
const MAX_READ_LENGTH = 4000;

type LoggedError = {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: LoggedError;
};

/**
 * An error as the log shows it: class, code, message, frames, causes, and no other property. Errors of the database
 * carry the statement's parameters, among them password hashes and session records, as properties and in the message.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an error was thrown', stack: '' };
  const { code } = error as { code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.constructor.name,
    ...(typeof code === 'string' && { code }),
    message: maskText(withoutParameters(error).slice(0, MAX_READ_LENGTH)).slice(0, MAX_MESSAGE_LENGTH),
    stack: frames.join('\n'),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

function withoutParameters(error: Error): string {
  return error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message;
}

/**
 * The path of a request target. The query stays out of every log: it may carry an access token or an envelope (AT-21,
 * EC-46).
 */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

function linesForPeople(): NodeJS.WritableStream {
  return pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', singleLine: true, sync: true });
}

/** What has a serializer of its own, which sees the thing itself; and checkpoints, which are verified as they are. */
const UNMASKED = ['err', 'req', 'res', 'auditCheckpoint'];

/** AUD-3: what a log call brings along is masked as in the audit log, at any depth. */
function maskEntry(entry: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const masked: Record<string, unknown> = {};
  for (const name of Object.keys(entry)) (UNMASKED.includes(name) ? kept : masked)[name] = entry[name];
  return Object.assign(kept, maskSensitive(masked));
}

/**
 * Logger options. What is never written: headers, bodies, query strings. The masking stands behind that rule as a
 * second net, for what a later log call could bring along.
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

/** Why a request was refused: what the log says beside its status. */
interface RefusalNote {
  readonly code: string;
  readonly why?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the request was refused (4xx). */
    refusalNote: RefusalNote | null;
  }
}

/** One line for each request, when it is answered. A flood leaves no lines: writing them would be its success. */
async function requestLogPlugin(app: FastifyInstance): Promise<void> {
  app.decorateRequest('refusalNote', null);
  app.addHook('onResponse', function logRequest(request: FastifyRequest, reply: FastifyReply, done) {
    if (!request.floodRefused) writeLine(request, reply);
    done();
  });

  function writeLine(request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        route: request.routeOptions.url,
        status: reply.statusCode,
        ...request.refusalNote,
        millis: Math.round(reply.elapsedTime),
        clientIp: request.clientIp,
      },
      'request answered',
    );
  }
}

export const requestLog = fp(requestLogPlugin, { fastify: '5.x', name: 'request-log' });
