import { refusals as ofAuditLog } from '@sallyport/audit-log/refusals';
import { refusals as ofAuthTokens } from '@sallyport/auth-tokens/refusals';
import { refusals as ofCaptcha } from '@sallyport/captcha/refusals';
import { refusals as ofEnvelopes } from '@sallyport/envelope-crypto/refusals';
import { refusals as ofIdempotency } from '@sallyport/idempotency/refusals';
import { refusals as ofLoginPolicy } from '@sallyport/login-policy/refusals';
import { refusals as ofOneTimeCodes } from '@sallyport/one-time-codes/refusals';
import { refusals as ofPasswordHashing } from '@sallyport/password-hashing/refusals';
import { type RefusalErrorClass, refusalError } from '@sallyport/plugin-kit/refusal-errors';
import type { Refusals } from '@sallyport/plugin-kit/refusals';
import { refusals as ofSecondFactors } from '@sallyport/second-factor/refusals';
import { refusals as ofSystemParameters } from '@sallyport/system-parameters/refusals';
import { refusals as ofTtlStore } from '@sallyport/ttl-store/refusals';
import { refusals as ofUploadPolicy } from '@sallyport/upload-policy/refusals';
import type { Texts } from './language.js';

/** An error at one place of a request. The pointer is an RFC 6901 JSON pointer. */
export interface PlaceFault {
  readonly pointer: string;
  readonly detail: string;
}

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
}

/** An error class for a refusal of this server or of a package, or the refusal. */
export interface RefusalClass {
  readonly code: string;
}

interface RefusalDefinition<Code extends string> extends Texts {
  readonly code: Code;
  readonly status: number;
  /** Members that every error of the class carries. */
  readonly carries?: CarriedMembers;
  /** Default true. */
  readonly hasStack?: boolean;
}

const byCode = new Map<string, Refusal>();

const ofPackages: readonly Refusals[] = [
  ofAuditLog,
  ofAuthTokens,
  ofCaptcha,
  ofEnvelopes,
  ofIdempotency,
  ofLoginPolicy,
  ofOneTimeCodes,
  ofPasswordHashing,
  ofSecondFactors,
  ofSystemParameters,
  ofTtlStore,
  ofUploadPolicy,
];
for (const [code, { status, en, 'zh-CN': chinese }] of ofPackages.flatMap((table) => Object.entries(table))) {
  // Clients learn nothing about a fault of the program.
  if (status !== 500) register({ code, status, texts: { en, 'zh-CN': chinese } });
}

/**
 * Defines a refusal of this server: its error class and its texts. The texts say what happened and what to do, and
 * disclose nothing else.
 *
 * @throws {TypeError} if the code is already defined
 */
export function defineRefusal<const Code extends string>({
  code,
  status,
  en,
  'zh-CN': chinese,
  carries = {},
  hasStack = true,
}: RefusalDefinition<Code>): RefusalErrorClass<Code, number, [options?: ErrorOptions]> {
  register({ code, status, texts: { en, 'zh-CN': chinese } });
  const Refused = refusalError({ [code]: { status, message: en, en } }, code, { hasStack });
  Object.assign(Refused.prototype, carries);
  return Refused;
}

function register(refusal: Refusal): void {
  if (byCode.has(refusal.code)) throw new TypeError(`the refusal ${refusal.code} is defined twice`);
  byCode.set(refusal.code, refusal);
}

/** Null if no refusal has this code. */
export function refusalByCode(code: string): Refusal | null {
  return byCode.get(code) ?? null;
}

/** @throws {TypeError} if the class is not of a defined refusal */
export function refusalOf({ code }: RefusalClass): Refusal {
  const refusal = refusalByCode(code);
  if (refusal === null) throw new TypeError(`${code} has no texts: define it as a refusal`);
  return refusal;
}

/** The refusals of a package that clients of this server see. */
export function refusalsIn(table: Refusals): readonly Refusal[] {
  return Object.keys(table).flatMap((code) => byCode.get(code) ?? []);
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
