import { RefusedError } from '@sallyport/api-client';
import { QueryClient } from '@tanstack/react-query';

/** The sessions of all users. What ends some of them has the list read again. */
export const SESSIONS_KEY = ['sessions'] as const;

/** How often a read is sent again after a failure that passes by itself. */
const MAX_RETRIES = 2;

/** A lost connection and a store that is away pass; every other refusal stays. */
function passesByItself(error: Error): boolean {
  return error instanceof RefusedError ? error.problem.status === 503 : error instanceof TypeError;
}

/** The cache of what was read. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < MAX_RETRIES && passesByItself(error),
        // Reads are cheap, and an operator expects what is so now.
        staleTime: 0,
        refetchOnWindowFocus: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
