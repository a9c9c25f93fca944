import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { given } from '../../lists/filters.js';
import { useApi } from '../../service/service.js';
import { clockLeadOf } from './time-left.js';

export type Explanation = components['schemas']['LoginLimitExplanation'];
export type Counter = components['schemas']['LoginCounter'];
export type LockedAddress = components['schemas']['LockedAddress'];

/** Where explanations are in the cache. */
export const LIMITS_KEY = ['login-limits'] as const;

/** What to explain or clear, as the user has written it. */
export interface Subject {
  readonly user: string | undefined;
  readonly terminal: string | undefined;
  readonly address: string | undefined;
}

/** After a lock has ended, how long until it is asked whether it has, in milliseconds. */
const AFTER_LOCK_MILLIS = 1000;

/** What limits a name. It is read again when the next lock ends. */
export function useExplanation({ user, terminal, address }: Subject, mayExplain: boolean) {
  const api = useApi();
  const query = useQuery({
    queryKey: [...LIMITS_KEY, user, terminal, address],
    async queryFn({ signal }) {
      const asked = { username: user ?? '', ...given({ terminal, clientIp: address }) };
      const answer = await api.GET('/admin/login-policy/explain', { params: { query: asked }, signal });
      return { explanation: dataOf(answer).data, clockLead: clockLeadOf(answer.response) };
    },
    enabled: mayExplain && user !== undefined,
  });
  const { data, refetch } = query;
  useEffect(() => {
    const ends = data?.explanation.counters.flatMap(({ lockedUntil }) => lockedUntil ?? []) ?? [];
    if (data === undefined || ends.length === 0) return;
    const wait = Math.min(...ends) - Date.now() - data.clockLead + AFTER_LOCK_MILLIS;
    const timer = setTimeout(() => void refetch(), Math.max(wait, AFTER_LOCK_MILLIS));
    return () => clearTimeout(timer);
  }, [data, refetch]);
  return query;
}

/** The address of a counter, as requests take it: counters name the /64 of IPv6. */
export function plainAddress(counted: string): string {
  return counted.replace(/\/\d+$/, '');
}
