import createError, { type FastifyErrorConstructor } from '@fastify/error';
import type { Refusal } from './refusals.js';

/** The members of a table that an error has. */
type Thrown = Pick<Refusal, 'status' | 'message' | 'en'>;

/** A text for each `%s` of a message, then `cause`. */
type ArgumentsOf<Message> = Message extends `${string}%s${infer Rest}`
  ? [detail: string, ...ArgumentsOf<Rest>]
  : [options?: ErrorOptions];

/** An error class of `@fastify/error` that knows its code. */
export interface RefusalErrorClass<Code extends string, Status extends number, Arguments extends unknown[]>
  extends FastifyErrorConstructor<{ code: Code; statusCode: Status }, Arguments> {
  readonly code: Code;
}

export interface RefusalErrorOptions {
  /** Default `Error`. */
  readonly base?: ErrorConstructor;
  /** Default true. False for errors that a flood creates, and whose stack is of no use. */
  readonly hasStack?: boolean;
}

/**
 * The error class of a refusal, with the code, status and message of its table. It can be extended.
 *
 * @example
 * ```ts
 * const KeyMissingError = refusalError(refusals, 'KEY_MISSING');
 * class RoomClosedError extends refusalError(refusals, 'ROOM_CLOSED') {}
 *
 * const app = Fastify();
 * app.get('/:room', async (request) => {
 *   if (request.headers.authorization === undefined) throw new KeyMissingError();
 *   throw new RoomClosedError('Room 7');
 * });
 * ```
 */
export function refusalError<
  const Table extends Readonly<Record<string, Thrown>>,
  Code extends Extract<keyof Table, string>,
>(
  table: Table,
  code: Code,
  { base = Error, hasStack = true }: RefusalErrorOptions = {},
): RefusalErrorClass<Code, Table[Code]['status'], ArgumentsOf<Table[Code]['message']>> {
  const { status, en, message = en.split(/\.(?: |$)/)[0]! }: Thrown = table[code]!;
  type Arguments = ArgumentsOf<Table[Code]['message']>;
  const Refused = createError<Code, Table[Code]['status'], Arguments>(code, message, status, base, hasStack);
  return Object.assign(Refused, { code });
}
