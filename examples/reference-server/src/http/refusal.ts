import createError, { type FastifyError, type FastifyErrorConstructor } from '@fastify/error';
import type { Texts } from './language.js';
import type { PlaceFault } from './validation-details.js';

/** Members that a refusal may carry to the client beside its code. Nothing else of an error ever leaves. */
export interface CarriedMembers {
  readonly errors?: readonly PlaceFault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly serverTime?: number | undefined;
  readonly clientAction?: string | undefined;
}

/** All that is known of a refusal. The code is the stable part, for programs; the texts are for people. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly texts: Texts;
  /** What an answer with it carries, for the documentation. */
  readonly example: CarriedMembers;
}

/** An error class that stands for a refusal: of this server, or of a package. */
export type RefusalClass = abstract new (...given: never[]) => Error;

interface RefusalDefinition<Code extends string> extends Texts {
  readonly code: Code;
  readonly status: number;
  /** What every error of the class carries. */
  readonly carries?: CarriedMembers;
  /** What such an error may carry, where that differs from one to the next. Default `carries`. */
  readonly example?: CarriedMembers;
  /** Default true. */
  readonly hasStack?: boolean;
}

const byCode = new Map<string, Refusal>();
const byClass = new Map<unknown, Refusal>();

/**
 * A refusal of this server, defined once: its error class, and what people and the documentation are told. The texts
 * say what happened and what to do, and no more than the client may know.
 *
 * @throws {TypeError} if the code is defined already
 */
export function defineRefusal<const Code extends string>(
  definition: RefusalDefinition<Code>,
): FastifyErrorConstructor<{ code: Code; statusCode: number }, [options?: ErrorOptions]> {
  const { code, status, en, 'zh-CN': chinese, carries = {}, example = carries, hasStack = true } = definition;
  const Refused = createError<Code, number, [options?: ErrorOptions]>(code, en, status, Error, hasStack);
  Object.assign(Refused.prototype, carries);
  register({ code, status, texts: { en, 'zh-CN': chinese }, example }, Refused);
  return Refused;
}

/**
 * The texts of a refusal by a package. Code, status and what it carries are the error's own.
 *
 * @throws {TypeError} if the code is defined already
 */
export function describeRefusal(sample: FastifyError & CarriedMembers, { en, 'zh-CN': chinese }: Texts): void {
  const { code, statusCode = 500 } = sample;
  register(
    { code, status: statusCode, texts: { en, 'zh-CN': chinese }, example: membersOf(sample) },
    sample.constructor,
  );
}

function register(refusal: Refusal, errorClass: unknown): void {
  if (byCode.has(refusal.code)) throw new TypeError(`the refusal ${refusal.code} is defined twice`);
  byCode.set(refusal.code, refusal);
  byClass.set(errorClass, refusal);
}

/** Null: nobody made an error with this code for clients. */
export function refusalByCode(code: string): Refusal | null {
  return byCode.get(code) ?? null;
}

/** @throws {TypeError} if neither the class nor what it extends was defined as a refusal */
export function refusalOf(errorClass: RefusalClass): Refusal {
  for (let each: unknown = errorClass; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    const refusal = byClass.get(each);
    if (refusal !== undefined) return refusal;
  }
  throw new TypeError(`${errorClass.name} has no texts: define it as a refusal`);
}

/** Every refusal that was defined. */
export function allRefusals(): readonly Refusal[] {
  return [...byCode.values()];
}

/** What an error carries for the client, and nothing else of it. */
export function membersOf({ errors, retryAfterSeconds, serverTime, clientAction }: CarriedMembers): CarriedMembers {
  return { errors, retryAfterSeconds, serverTime, clientAction };
}
