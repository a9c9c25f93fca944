import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { choiceOf, given, useFilters } from '../../lists/filters.js';
import { useApi } from '../../service/service.js';
import { actionOf, hasReadsHidden, SHOWN } from './action-filter.js';
import { useNameKeeper, useWantedActor } from './actor.js';

export type AuditRecord = components['schemas']['AuditRecord'];

export const OUTCOMES = ['success', 'failure', 'refused', 'unknown'] as const;

/** Most records of one millisecond that are looked through for one of them. The service answers no longer page. */
const MAX_RECORDS_AT_ONCE = 200;

/** The filters of the address bar, as the operations take them. */
export function useAuditFilters() {
  const filters = useFilters([
    'from',
    'to',
    'actor',
    'action',
    'target',
    'ip',
    'network',
    'outcome',
    'reason',
    'requestId',
    'reads',
  ]);
  const { outcome, action: typed, reads, ...values } = filters.values;
  const wanted = useWantedActor(values.actor);
  const action = actionOf(typed);
  const hidesReads = reads !== SHOWN && hasReadsHidden({ ...action, requestId: values.requestId });
  const found = given({
    ...values,
    ...action,
    ...(hidesReads && { reads: false }),
    actor: wanted.actor,
    outcome: choiceOf(OUTCOMES, outcome),
  });
  return { filters, found, wanted, hidesReads };
}

export type AuditFilters = ReturnType<typeof useAuditFilters>['found'];

/** Below the path of the place: the list as it is, with a record open. */
export function addressOf({ id, occurredAt }: AuditRecord, search: URLSearchParams): string {
  const next = new URLSearchParams(search);
  next.set('record', id);
  next.set('at', String(occurredAt));
  return `/audit-log?${next}`;
}

/** The record that the address names. It is looked for by its time if the list does not show it. */
export function useOpenRecord(listed: readonly AuditRecord[] | undefined, mayList: boolean) {
  const api = useApi();
  const keepNames = useNameKeeper();
  const [search, setSearch] = useSearchParams();
  const id = search.get('record');
  const at = Number(search.get('at'));
  const known = listed?.find((record) => record.id === id);
  const query = useQuery({
    queryKey: ['audit-record', id, at],
    enabled: mayList && id !== null && known === undefined,
    queryFn: async ({ signal }) => {
      const range = { from: at, to: at + 1, size: MAX_RECORDS_AT_ONCE };
      const { data, actors } = dataOf(await api.GET('/admin/audit-records', { params: { query: range }, signal }));
      keepNames(actors);
      return data.find((record) => record.id === id) ?? null;
    },
  });
  return {
    isOpen: mayList && id !== null,
    record: known ?? query.data,
    error: known === undefined ? query.error : null,
    refetch: query.refetch,
    close() {
      const next = new URLSearchParams(search);
      next.delete('record');
      next.delete('at');
      setSearch(next);
    },
  };
}
