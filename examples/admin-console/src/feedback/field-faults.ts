import { RefusedError } from '@sallyport/api-client';
import { useLanguage } from '../language/language.js';

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
