import { type Language, oncePerLanguage, useLanguage } from './language.js';

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** More parts would not help: nobody reads the seconds of three days. */
const MAX_PARTS = 2;

const durationsOf = oncePerLanguage((language: Language) => {
  const formats = UNITS.map(({ unit, seconds }) => ({
    seconds,
    format: new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }),
  }));
  return (total: number) => {
    let rest = Math.max(0, Math.trunc(total));
    const first = formats.findIndex(({ seconds }) => rest >= seconds);
    const parts = first === -1 ? formats.slice(-1) : formats.slice(first, first + MAX_PARTS);
    const written = parts.map(({ seconds, format }) => {
      const count = Math.floor(rest / seconds);
      rest %= seconds;
      return { count, text: format.format(count) };
    });
    return written
      .filter(({ count }, index) => count > 0 || index === 0)
      .map(({ text }) => text)
      .join(' ');
  };
});

/** Writes whole seconds in their two largest units, such as `9 min 32 sec`. */
export function useDuration(): (seconds: number) => string {
  const { language } = useLanguage();
  return durationsOf(language);
}
