import { RefusedError } from '@sallyport/api-client';
import { defineTexts, useLanguage, useTexts } from '../language/language.js';
import { fieldLabels } from './field-labels.js';

const texts = defineTexts({
  en: {
    field: (label: string, detail: string) => `${label}: ${detail}.`,
    whole: (detail: string) => `${detail}.`,
    unseen: (detail: string) => `Something that this page sent by itself ${detail}. Reload the page.`,
  },
  'zh-CN': {
    field: (label: string, detail: string) => `${label}：${detail}。`,
    whole: (detail: string) => `${detail}。`,
    unseen: (detail: string) => `页面自动发送的内容有误：${detail}。请重新加载页面。`,
  },
});

/** The field of a request that a pointer names: the first member. `/roleIds/0` is in `roleIds`. */
export function fieldOf(pointer: string): string {
  return pointer.split('/')[1] ?? '';
}

/**
 * What the service found wrong in the fields of a form, as sentences that begin with the label. Show the other faults
 * by `Refusal` with the same names as `fields`.
 *
 * @param labels by the names that the fields have in the request
 */
export function useFieldFaults<Name extends string>(
  error: Error | null,
  labels: Readonly<Record<Name, string>>,
): Readonly<Partial<Record<Name, string>>> {
  const { language } = useLanguage();
  const faults: Partial<Record<Name, string>> = {};
  const errors = error instanceof RefusedError ? (error.problem.errors ?? []) : [];
  for (const name in labels) {
    const found = errors.find(({ pointer }) => fieldOf(pointer) === name);
    if (found !== undefined) faults[name] = `${labels[name]}${language === 'en' ? ' ' : ''}${found.detail}`;
  }
  return faults;
}

/** Says in a sentence what is wrong at a place of a request that no input of the form shows. */
export function useFaultSentence(own?: Readonly<Record<string, string>>): (pointer: string, detail: string) => string {
  const t = useTexts(texts);
  const labels: Readonly<Record<string, string>> = { ...useTexts(fieldLabels), ...own };
  return (pointer, detail) => {
    if (pointer === '') return detail;
    const label = labels[fieldOf(pointer)];
    // A detail may be a whole sentence, and name the field.
    const words = detail.replace(/[.。]$/, '');
    if (label === undefined) return t.unseen(words);
    return words.includes(label) ? t.whole(words) : t.field(label, words);
  };
}
