import type { components } from '@sallyport/api-client';

export type Parameter = components['schemas']['SystemParameter'];

/** Where the parameters are in the cache. */
export const PARAMETERS_KEY = ['system-parameters'] as const;

/** A value as its input holds it. Numbers are texts, so that no digit is lost and nothing typed is rounded. */
export type Draft = string | boolean;

export function draftOf(value: Parameter['value']): Draft {
  return typeof value === 'boolean' ? value : String(value);
}

/** What the definition says against a draft. The service checks again, and knows more rules. */
export type DraftFault = 'not-whole' | 'out-of-bounds' | 'too-long';

/** The same texts that the service takes: no leading zeros, no spaces. */
const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]*)$/;

export function faultOfDraft({ type, minimum, maximum, maxLength }: Parameter, draft: Draft): DraftFault | null {
  if (typeof draft === 'boolean') return null;
  if (type === 'STRING') return draft.length > (maxLength ?? Number.POSITIVE_INFINITY) ? 'too-long' : null;
  if (!WHOLE_NUMBER.test(draft)) return 'not-whole';
  const number = BigInt(draft);
  const isBelow = typeof minimum === 'number' && number < BigInt(minimum);
  const isAbove = typeof maximum === 'number' && number > BigInt(maximum);
  return isBelow || isAbove ? 'out-of-bounds' : null;
}

/** A text of this length needs more than one line. */
const MAX_LINE_CHARS = 200;

/** Whether the value is a text that may be long. */
export function isLongText({ type, values, maxLength }: Parameter): boolean {
  return type === 'STRING' && values == null && (maxLength ?? Number.POSITIVE_INFINITY) > MAX_LINE_CHARS;
}

/** The text in the language, or else in English, which every definition has. */
export function textIn(language: string, texts: Readonly<Record<string, string>> & { readonly en: string }): string {
  return texts[language] ?? texts.en;
}
