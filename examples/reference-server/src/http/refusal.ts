import createError, { type FastifyError, type FastifyErrorConstructor } from '@fastify/error';
import type { Texts } from './language.js';
import type { PlaceFault } from './validation-details.js';

/** Members that a refusal may carry to the client in addition to its code. No other property of an error is sent. */
export interface CarriedMembers {
  readonly errors?: readonly PlaceFault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly serverTime?: number | undefined;
  readonly clientAction?: string | undefined;
  /** The path and query of a GET request that issues a captcha. */
  readonly captcha?: string | undefined;
}

/** A refusal. The code is stable, for programs; the texts are for people. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly texts: Texts;
  /** Members of an example answer, for the documentation. */
  readonly example: CarriedMembers;
  /** Whether the log already has a line about it, although its status is an error of the server. */
  readonly isLogged: boolean;
}

/** An error class for a refusal of this server or of a package. */
export type RefusalClass = abstract new (...given: never[]) => Error;

interface RefusalDefinition<Code extends string> extends Texts {
  readonly code: Code;
  readonly status: number;
  /** Members that every error of the class carries. */
  readonly carries?: CarriedMembers;
  /** Example members, if they vary between errors. Default `carries`. */
  readonly example?: CarriedMembers;
  /** Default true. */
  readonly hasStack?: boolean;
}

const byCode = new Map<string, Refusal>();
const byClass = new Map<unknown, Refusal>();

/**
 * Defines a refusal of this server: its error class and its texts. The texts say what happened and what to do, and
 * disclose nothing else.
 *
 * @throws {TypeError} if the code is already defined
 */
export function defineRefusal<const Code extends string>(
  definition: RefusalDefinition<Code>,
): FastifyErrorConstructor<{ code: Code; statusCode: number }, [options?: ErrorOptions]> {
  const { code, status, en, 'zh-CN': chinese, carries = {}, example = carries, hasStack = true } = definition;
  const Refused = createError<Code, number, [options?: ErrorOptions]>(code, en, status, Error, hasStack);
  Object.assign(Refused.prototype, carries);
  register({ code, status, texts: { en, 'zh-CN': chinese }, example, isLogged: false }, Refused);
  return Refused;
}

/**
 * Defines the texts of a refusal by a package. Code, status and carried members come from the error.
 *
 * @throws {TypeError} if the code is already defined
 */
export function describeRefusal(
  sample: FastifyError & CarriedMembers,
  { en, 'zh-CN': chinese, isLogged = false }: Texts & Partial<Pick<Refusal, 'isLogged'>>,
): void {
  const { code, statusCode = 500 } = sample;
  register(
    { code, status: statusCode, texts: { en, 'zh-CN': chinese }, example: membersOf(sample), isLogged },
    sample.constructor,
  );
}

function register(refusal: Refusal, errorClass: unknown): void {
  if (byCode.has(refusal.code)) throw new TypeError(`the refusal ${refusal.code} is defined twice`);
  byCode.set(refusal.code, refusal);
  byClass.set(errorClass, refusal);
}

/** Null if no refusal has this code. */
export function refusalByCode(code: string): Refusal | null {
  return byCode.get(code) ?? null;
}

/** @throws {TypeError} if neither the class nor a superclass is defined as a refusal */
export function refusalOf(errorClass: RefusalClass): Refusal {
  for (let each: unknown = errorClass; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    const refusal = byClass.get(each);
    if (refusal !== undefined) return refusal;
  }
  throw new TypeError(`${errorClass.name} has no texts: define it as a refusal`);
}

/** All defined refusals. */
export function allRefusals(): readonly Refusal[] {
  return [...byCode.values()];
}

/** The members of an error that clients may receive. */
export function membersOf({
  errors,
  retryAfterSeconds,
  serverTime,
  clientAction,
  captcha,
}: CarriedMembers): CarriedMembers {
  return { errors, retryAfterSeconds, serverTime, clientAction, captcha };
}
