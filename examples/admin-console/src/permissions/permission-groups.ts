import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLanguage } from '../language/language.js';
import { useApi } from '../service/service.js';

/** A permission, in the language of the page. */
export interface NamedPermission {
  readonly code: string;
  readonly text: string;
}

export interface NamedGroup {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly NamedPermission[];
}

/** The permissions of the service, by group. */
export function usePermissionGroups() {
  const api = useApi();
  const { language } = useLanguage();
  const query = useQuery({
    queryKey: ['permissions'],
    queryFn: async ({ signal }) => dataOf(await api.GET('/admin/permissions', { signal })).data,
    // They change with the version of the service.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, refetch } = query;
  const groups = useMemo(
    () =>
      data?.map(
        ({ name, title, permissions }): NamedGroup => ({
          name,
          title: title[language],
          permissions: permissions.map(({ code, text }) => ({ code, text: text[language] })),
        }),
      ),
    [data, language],
  );
  return { groups, error, retry: () => void refetch() };
}

/** The groups with what has the text in its name, its group or its code. */
export function searchGroups(groups: readonly NamedGroup[], wanted: string): readonly NamedGroup[] {
  const words = wanted.trim().toLowerCase();
  if (words === '') return groups;
  const has = (text: string) => text.toLowerCase().includes(words);
  return groups
    .map((group) =>
      has(group.title)
        ? group
        : { ...group, permissions: group.permissions.filter(({ code, text }) => has(text) || has(code)) },
    )
    .filter(({ permissions }) => permissions.length > 0);
}
