import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { useSend } from '../../service/send.js';
import { useApi } from '../../service/service.js';
import { useProfile } from '../../session/profile.js';

/** A note that somebody kept, and the key that proves it. Without a key, those of the service do. */
export interface GivenCheckpoint {
  readonly checkpoint: string;
  readonly publicKey?: string;
}

export type Verification = components['schemas']['AuditVerification'];

/** Time between two looks at a verification that runs, in milliseconds. Each look is recorded in the log. */
const LOOK_MILLIS = 2000;

/** The verification that the address names, or that this tab started last. It runs at the service. */
export function useVerification(mayVerify: boolean) {
  const api = useApi();
  const { id: user } = useProfile();
  const [search, setSearch] = useSearchParams();
  const id = search.get('verification');
  const keptAt = `sallyport.verification.${user}`;

  function show(shown: string | null, options?: { readonly replace: boolean }): void {
    const next = new URLSearchParams(search);
    if (shown === null) {
      sessionStorage.removeItem(keptAt);
      next.delete('verification');
    } else {
      sessionStorage.setItem(keptAt, shown);
      next.set('verification', shown);
    }
    setSearch(next, options);
  }

  // The navigation leads here without it.
  useEffect(() => {
    const kept = sessionStorage.getItem(keptAt);
    if (id === null && kept !== null) show(kept, { replace: true });
    // Only when the page is opened: afterwards the address is right.
  }, []);

  const query = useQuery({
    queryKey: ['audit-verification', id],
    enabled: mayVerify && id !== null,
    queryFn: async ({ signal }) => {
      const path = { id: id ?? '' };
      return dataOf(await api.GET('/admin/audit-records/verifications/{id}', { params: { path }, signal })).data;
    },
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? LOOK_MILLIS : false),
  });
  const start = useSend({
    mutationFn: async (given: GivenCheckpoint | null) =>
      dataOf(await api.POST('/admin/audit-records/verify', given === null ? {} : { body: given })).data,
    onSuccess: (started) => show(started.id),
  });
  return { id, query, start, close: () => show(null) };
}

export type ShownVerification = ReturnType<typeof useVerification>;
