import { type components, dataOf, RefusedError } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../service/service.js';

export type Message = components['schemas']['OutboxMessage'];

/** How often the outbox is read while the page is visible, in milliseconds. */
const POLL_MILLIS = 2000;

const MAX_MESSAGES = 20;

/** The messages. Null: this service has no outbox, as in production. */
export function useOutbox() {
  const api = useApi();
  return useQuery({
    queryKey: ['sms-outbox'],
    async queryFn({ signal }): Promise<readonly Message[] | null> {
      const answer = await api.GET('/dev/sms-outbox', { params: { query: { size: MAX_MESSAGES } }, signal });
      if (answer.response.status === 404) return null;
      return dataOf(answer).data;
    },
    refetchInterval: ({ state: { data, error } }) => {
      const isOver = data === null || (error instanceof RefusedError && error.problem.status === 401);
      return isOver ? false : POLL_MILLIS;
    },
    retry: false,
  });
}
