import { type Language, oncePerLanguage, useLanguage } from './language.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Numbers and times as the language writes them, in the time zone of the browser. */
export interface Formats {
  /** A moment, in milliseconds since 1970. */
  dateTime(millis: number): string;
  /** The hour and the minute of a moment. */
  time(millis: number): string;
  number(value: number): string;
  bytes(count: number): string;
  /** A part of a whole, from 0 to 1. */
  percent(share: number): string;
  /** A decimal text, such as an amount. Its digits stay as they are. */
  decimal(text: string): string;
}

const formatsOf = oncePerLanguage((language: Language): Formats => {
  const dateTimes = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const times = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const numbers = new Intl.NumberFormat(language);
  const percents = new Intl.NumberFormat(language, { style: 'percent' });
  return {
    dateTime: (millis) => dateTimes.format(millis),
    time: (millis) => times.format(millis),
    number: (value) => numbers.format(value),
    percent: (share) => percents.format(share),
    bytes(count) {
      const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(count, 1)) / 3));
      const unit = UNITS[step] ?? 'byte';
      const unitDisplay = step === 0 ? 'long' : 'short';
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
      return format.format(count / 1000 ** step);
    },
    decimal(text) {
      const { length } = text.split('.')[1] ?? '';
      // A text, since a number of the language would lose digits of a large amount.
      return new Intl.NumberFormat(language, { minimumFractionDigits: length }).format(
        text as Intl.StringNumericLiteral,
      );
    },
  };
});

export function useFormats(): Formats {
  const { language } = useLanguage();
  return formatsOf(language);
}
