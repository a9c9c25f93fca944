import { Type } from 'typebox';

/** The latest date of JavaScript. */
const MAX_MILLIS = 8.64e15;

/** A time in a query: milliseconds since the Unix epoch, as everywhere, or an ISO date and time with a zone. */
export const moment = Type.Union([
  Type.Integer({ minimum: 0, maximum: MAX_MILLIS }),
  Type.String({ format: 'date-time' }),
]);

/** In milliseconds since the Unix epoch. */
export function millisOf(moment: number | string | undefined): number | undefined {
  return typeof moment === 'string' ? Date.parse(asDateReads(moment)) : moment;
}

/** `Date` does not accept leap seconds, zones without minutes, or every blank that the format allows. */
function asDateReads(text: string): string {
  return text
    .replace(/\s/, 'T')
    .replace(/:60(?!\d)/, ':59')
    .replace(/[+-]\d\d$/, '$&:00');
}

/** The end of the year 9999. PostgreSQL refuses ISO 8601 dates with a year of five digits, and those of the year 0. */
const LATEST_MILLIS = 253_402_300_799_999;

/** The time for a query of the database. */
export function dateOf(millis: number): Date {
  return new Date(Math.min(Math.max(0, millis), LATEST_MILLIS));
}
