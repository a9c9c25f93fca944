/** What a session remembers of the client that opened it, for the people who look at the list of sessions. */
export interface SessionClient {
  /** The client kind, such as `web` or `app`. Cut to 32 characters. */
  readonly terminal?: string;
  /** The client's address at sign-in. Cut to 64 characters. */
  readonly clientIp?: string;
  /** The User-Agent header at sign-in. Cut to 200 characters. */
  readonly userAgent?: string;
}

// The record is read on every request: it holds what tells sessions apart, and no more.
const MAX_LENGTHS = { terminal: 32, clientIp: 64, userAgent: 200 } as const;

/** Cut, and without control characters and halves of characters: these texts end up on screens and in logs. */
export function describeClient(client: SessionClient): SessionClient {
  const parts = (['terminal', 'clientIp', 'userAgent'] as const).flatMap((name) => {
    const text = client[name];
    if (typeof text !== 'string') return [];
    return [[name, text.slice(0, MAX_LENGTHS[name]).replace(/[\p{Cc}\p{Surrogate}]/gu, '')]];
  });
  return Object.fromEntries(parts);
}
