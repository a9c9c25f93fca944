import { useDuration } from '../../language/durations.js';
import { useFormats } from '../../language/formats.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { type Draft, type Parameter, textIn } from './parameter.js';
import type { SavedChange } from './parameter-changes.js';
import { texts } from './texts.js';

/** Below this many seconds, other units say nothing more. */
const MIN_SECONDS_EXPLAINED = 60;

/** What follows the number. Null: the text of the parameter says what is counted. */
export function unitNameOf(unit: Parameter['unit'], language: string): string | null {
  return unit == null || unit.name === 'count' ? null : textIn(language, unit.texts);
}

/** The longest text of a name or of a value in a message, in characters. */
const MAX_MESSAGE_PART = 80;

const shortened = (text: string) => (text.length > MAX_MESSAGE_PART ? `${text.slice(0, MAX_MESSAGE_PART)}…` : text);

/** The message after a change. The label up to its explanation names the parameter. Parameters are never secrets. */
export function useSavedText(parameter: Parameter): (change: SavedChange) => string {
  const t = useTexts(texts);
  const { language } = useLanguage();
  const valueText = useValueText(parameter);
  const [label = ''] = textIn(language, parameter.texts).split(/[:;：；]/, 1);
  const name = shortened(label);
  return ({ before, after }) =>
    before === after ? t.saved(name) : t.savedChange(name, shortened(valueText(before)), shortened(valueText(after)));
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
