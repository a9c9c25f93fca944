import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../service/service.js';

export type Factor = components['schemas']['SecondFactor'];

/** The own factors in the cache. */
export const FACTORS_KEY = ['second-factors'] as const;

/** The own factors, as a list shows them. */
export function useFactors(isRead = true) {
  const api = useApi();
  return useQuery({
    queryKey: FACTORS_KEY,
    queryFn: async ({ signal }) => ({ ...dataOf(await api.GET('/auth/second-factors', { signal })), page: {} }),
    enabled: isRead,
  });
}
