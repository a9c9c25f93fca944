import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { MobileInvalidError } from './errors.js';

/** Longer than any written form of a number. */
export const MAX_MOBILE_LENGTH = 32;

/** The accepted written forms. The parser accepts more: URIs, and numbers with an extension. */
const WRITTEN = /^\+?[0-9 ().-]+$/;

/**
 * Normalises a mobile number to E.164 (`+8613800000000`) from all its spellings: full-width digits, blanks, hyphens,
 * `+86`, `0086` or no country code (LP-36). Null if it is not a mobile number of a country.
 *
 * @param region country of a number without a country code
 */
export function parseMobile(text: string, region: string): string | null {
  if (text.length > MAX_MOBILE_LENGTH || !isSupportedCountry(region)) return null;
  const plain = text.normalize('NFKC').trim();
  if (!WRITTEN.test(plain)) return null;
  const number = parsePhoneNumberFromString(plain, { defaultCountry: region, extract: false });
  // Numbers without a country are satellite phones and services, whose messages the sender pays for.
  return number?.isValid() && !number.isNonGeographic() ? number.number : null;
}

/** The same for a number that has to be one. @throws {MobileInvalidError} */
export function readMobileNumber(text: string, region: string): string {
  const number = parseMobile(text, region);
  if (number === null) throw new MobileInvalidError();
  return number;
}

/** The country of a number in E.164, such as `CN`; null if its numbering plan does not say. */
export function regionOf(mobile: string): string | null {
  return parsePhoneNumberFromString(mobile)?.country ?? null;
}

/** Masks a number: only its beginning and its last two digits are shown to other people (AUD-3). */
export function maskMobile(mobile: string): string {
  return `${mobile.slice(0, 5)}****${mobile.slice(-2)}`;
}
