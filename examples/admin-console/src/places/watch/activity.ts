import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../service/service.js';

export type Activity = components['schemas']['Activity'];
export type ActivityKind = keyof Activity['kinds'];

export const WINDOWS = ['hour', 'day'] as const;
export type ActivityWindow = (typeof WINDOWS)[number];

/** Without the stream. Another node adds its counts once a second, so an event is seen within five. */
const EVERY_MILLIS = 4000;

/** Unattended, the page stops: its requests would keep the session alive for ever. */
const UNATTENDED_MILLIS = 600_000;

/** Both steps. */
const SIGN_INS = 'auth.login,auth.second-factor';

/** The filters of the audit log that show the events of a kind. Null: the log does not keep them. */
const LOG_FILTERS: Readonly<Record<ActivityKind, Readonly<Record<string, string>> | null>> = {
  'sign-in.success': { action: SIGN_INS, outcome: 'success' },
  'sign-in.failure': { action: SIGN_INS, outcome: 'refused' },
  'sign-in.not-allowed': { action: SIGN_INS, outcome: 'refused', reason: 'LOGIN_IP_REFUSED' },
  'sign-in.lock': { action: 'auth.lock,second-factor.lock' },
  'envelope.replay': { outcome: 'refused' },
  'upload.refused': { action: 'file.upload', outcome: 'refused' },
  'flood.refused': null,
};

/**
 * The place of the audit log with the events of a kind from a moment on, and up to another.
 *
 * @param more further filters
 */
export function logPathOf(
  kind: ActivityKind,
  from: number,
  to?: number,
  more: Readonly<Record<string, string>> = {},
): string | null {
  const filters = LOG_FILTERS[kind];
  if (filters === null) return null;
  const end = to === undefined ? {} : { to: new Date(to).toISOString() };
  const query = new URLSearchParams({ ...filters, ...more, from: new Date(from).toISOString(), ...end });
  return `/audit-log?${query}`;
}

export function totalOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Whether somebody uses the page: a pointer, a key, or the page that is shown again. */
export function useAttention(): { readonly isPaused: boolean; goOn(): void } {
  const [lastUse, setLastUse] = useState(Date.now);
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    const use = () => setLastUse(Date.now());
    const events = ['pointerdown', 'pointermove', 'keydown'] as const;
    for (const event of events) window.addEventListener(event, use, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, use);
    };
  }, []);
  useEffect(() => {
    setPaused(false);
    const timer = setTimeout(() => setPaused(true), Math.max(0, lastUse + UNATTENDED_MILLIS - Date.now()));
    return () => clearTimeout(timer);
  }, [lastUse]);
  return { isPaused, goOn: () => setLastUse(Date.now()) };
}

/** The counts, read again every few seconds. */
export function useActivity(window: ActivityWindow, isRead: boolean, isPaused: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['activity', window],
    queryFn: async ({ signal }) =>
      dataOf(await api.GET('/admin/activity', { params: { query: { window } }, signal })).data,
    enabled: isRead,
    refetchInterval: isPaused ? false : EVERY_MILLIS,
  });
}

/** The health of each part. A service that is down says so with 503; of one that does not answer nothing is known. */
export function useHealth(isPaused: boolean) {
  const api = useApi();
  const { data, failureCount, isError, dataUpdatedAt } = useQuery({
    queryKey: ['health'],
    async queryFn({ signal }) {
      const { data, error } = await api.GET('/actuator/health', { signal });
      return data ?? (error as components['schemas']['Health']);
    },
    refetchInterval: isPaused ? false : EVERY_MILLIS * 3,
  });
  return { data, isKnown: failureCount === 0 && !isError, readAt: dataUpdatedAt };
}
