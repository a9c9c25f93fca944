/** A text by the tags of its languages, such as `zh-CN`. English is required. */
export interface ParameterTexts {
  readonly en: string;
  readonly [language: string]: string;
}

/** A group of parameters on a page. Definitions share the object. */
export interface ParameterGroup {
  /** Unique and stable, for programs: lower-case words joined by `-`. */
  readonly name: string;
  /** The heading, for people. */
  readonly texts: ParameterTexts;
}

/** The units of numbers, and their names for people. */
export const PARAMETER_UNITS = {
  count: { en: 'count', 'zh-CN': '次' },
  milliseconds: { en: 'milliseconds', 'zh-CN': '毫秒' },
  seconds: { en: 'seconds', 'zh-CN': '秒' },
  minutes: { en: 'minutes', 'zh-CN': '分钟' },
  hours: { en: 'hours', 'zh-CN': '小时' },
  days: { en: 'days', 'zh-CN': '天' },
  bytes: { en: 'bytes', 'zh-CN': '字节' },
  kibibytes: { en: 'KiB', 'zh-CN': 'KiB' },
  mebibytes: { en: 'MiB', 'zh-CN': 'MiB' },
  characters: { en: 'characters', 'zh-CN': '个字符' },
  digits: { en: 'digits', 'zh-CN': '位数字' },
  percent: { en: 'percent', 'zh-CN': '%' },
} as const satisfies Readonly<Record<string, ParameterTexts>>;

export type ParameterUnit = keyof typeof PARAMETER_UNITS;

const GROUP_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** The tag of a language: `en`, `zh-CN`, `zh-Hant-TW`. */
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The faults of a definition's group and translations. */
export function textFaults({ group, translations }: { readonly group?: unknown; readonly translations?: unknown }) {
  return [
    ...(group === undefined || isGroup(group)
      ? []
      : ['group must be { name, texts }: lower-case words joined by -, and texts by language with en']),
    ...(translations === undefined || (isTexts(translations) && !('en' in translations))
      ? []
      : ['translations must be texts by language, such as zh-CN, without en, which is the description']),
  ];
}

function isGroup(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, texts } = value as Partial<ParameterGroup>;
  return typeof name === 'string' && GROUP_NAME.test(name) && isTexts(texts) && 'en' in texts;
}

function isTexts(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(
    ([language, text]) => LANGUAGE.test(language) && typeof text === 'string' && text.trim() !== '',
  );
}
