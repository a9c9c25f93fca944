import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/mobile';

/** Longer than any number as people write it. */
export const MAX_MOBILE_LENGTH = 32;

/** How people write numbers. The parser takes more: URIs, and numbers with an extension. */
const WRITTEN = /^\+?[0-9 ().-]+$/;

/** Whether numbers may be read as those of this country: two capitals, such as `CN`. */
export function isRegion(region: string): region is CountryCode {
  return isSupportedCountry(region);
}

/**
 * The one form of a mobile number, E.164 (`+8613800000000`), for all its spellings: full-width digits, blanks, hyphens,
 * `+86`, `0086` or no country at all (LP-36). Null for what is no number of a mobile phone
 * in a country.
 *
 * @param region whose number it is when it doesn't say
 */
export function parseMobile(text: string, region: string): string | null {
  if (text.length > MAX_MOBILE_LENGTH || !isRegion(region)) return null;
  const plain = text.normalize('NFKC').trim();
  if (!WRITTEN.test(plain)) return null;
  const number = parsePhoneNumberFromString(plain, { defaultCountry: region, extract: false });
  // Numbers of no country are satellites, and services for whose calls and messages the sender pays.
  return number?.isValid() && !number.isNonGeographic() ? number.number : null;
}

/** The country of a number in E.164, such as `CN`; null where its plan doesn't tell. */
export function regionOf(mobile: string): string | null {
  return parsePhoneNumberFromString(mobile)?.country ?? null;
}

/** What people other than its owner may see of a number: its beginning and its last two digits (AUD-3). */
export function maskMobile(mobile: string): string {
  return `${mobile.slice(0, 5)}****${mobile.slice(-2)}`;
}
