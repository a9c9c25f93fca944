import { useDuration } from '../../language/durations.js';
import { useFormats } from '../../language/formats.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { type Draft, type Parameter, textIn } from './parameter.js';
import { texts } from './texts.js';

/** Below this many seconds, other units say nothing more. */
const MIN_SECONDS_EXPLAINED = 60;

/** What follows the number. Null: the text of the parameter says what is counted. */
export function unitNameOf(unit: Parameter['unit'], language: string): string | null {
  return unit == null || unit.name === 'count' ? null : textIn(language, unit.texts);
}

/** Writes values of a parameter for people: with the unit, and seconds as hours and minutes, too. */
export function useValueText({ type, unit }: Parameter): (value: Draft | number) => string {
  const t = useTexts(texts);
  const { language } = useLanguage();
  const { number } = useFormats();
  const duration = useDuration();
  const unitName = unitNameOf(unit, language);
  const unitText = unitName === null ? '' : ` ${unitName}`;
  return (value) => {
    if (typeof value === 'boolean') return value ? t.on : t.off;
    if (type === 'STRING') return value === '' ? t.empty : String(value);
    if (!Number.isSafeInteger(Number(value)) || value === '') return String(value);
    const seconds = Number(value);
    const isExplained = unit?.name === 'seconds' && seconds >= MIN_SECONDS_EXPLAINED;
    return `${number(seconds)}${unitText}${isExplained ? ` (${duration(seconds)})` : ''}`;
  };
}
