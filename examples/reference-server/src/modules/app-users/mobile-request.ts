import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MAX_MOBILE_LENGTH, readMobileNumber } from '../../http/mobile-number.js';

/** A number as typed. */
export const mobile = Type.String({ minLength: 1, maxLength: MAX_MOBILE_LENGTH });

/** As typed; may contain full-width digits and blanks. */
export const smsCode = Type.String({ minLength: 1, maxLength: 32 });

/** The handle from the answer of `sendSmsCode`. Only the client that requested the code has it (OTC-1). */
export const handle = Type.String({ minLength: 1, maxLength: 64 });

/**
 * The number of a request, in E.164. The audit target is this form, which the log can mask (AUD-3), and not the
 * client's text.
 *
 * @param region country of a number without a country code
 * @throws {MobileInvalidError}
 */
export function readMobile(
  { body, audit }: Pick<FastifyRequest<{ Body: { mobile: string } }>, 'body' | 'audit'>,
  region: string,
): string {
  const number = readMobileNumber(body.mobile, region);
  audit?.set({ target: number });
  return number;
}
