import { Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useLanguage } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useMay } from '../../session/profile.js';

/** The actions in words, in the language of the page. Empty until they are read. */
export function useActionNames(): ReadonlyMap<string, string> {
  const api = useApi();
  const { language } = useLanguage();
  const { data } = useQuery({
    queryKey: ['audit-actions'],
    enabled: useMay()('api:admin:audit-records:list'),
    queryFn: async ({ signal }) => dataOf(await api.GET('/admin/audit-records/actions', { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return new Map(data?.map(({ action, text }) => [action, text[language]]));
}

/** The code of an action, as the log and the filter have it. */
export function ActionCode({ action }: { readonly action: string }) {
  return (
    <Text component="code" size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {action}
    </Text>
  );
}
