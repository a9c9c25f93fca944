import { type ApiClient, createApiClient, type RefusalCode, RefusedError } from '@sallyport/api-client';
import { preferredLanguage } from '../language/language.js';

/** What a connection shows of its session. */
export type SessionState = 'none' | 'open' | 'ended';

/** The service, and the session that this tab has with it. */
export interface Connection {
  readonly client: ApiClient;
  readonly session: SessionState;
  /** The code of the refusal that told the end of the session. Empty: the reason is not known. Null: nothing to say. */
  readonly endedBy: string | null;
  /** Whether the service has refused the session until its owner changes the password. */
  readonly isPasswordDue: boolean;
  /** Changes with each sign-in, so that nothing of the last session is shown in the next. */
  readonly generation: number;
  /** Notes that a sign-in has succeeded: the client has its token. */
  noteSignIn(): void;
  /** Ends the session here at once, and at the service. */
  signOut(): void;
  /**
   * Notes that the session has ended at the service. A sign-out would be refused, and recorded as such.
   *
   * @param reason what the sign-in says of it. Default: nothing, since the user has brought it about here
   */
  noteEnd(reason?: string): void;
  /** Whether the service has not confirmed the last sign-out: the session may be open there until it expires. */
  readonly isSignOutOpen: boolean;
  /** Notes an answer to a request that carried this token, for requests that the client did not send. */
  noteAnswer(answer: NotedAnswer, token: string | null): void;
  subscribe(listener: () => void): () => void;
}

export interface NotedAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | null;
}

/** The refusal of everything but the own change of the password and the sign-out. */
const PASSWORD_DUE: RefusalCode = 'PASSWORD_CHANGE_REQUIRED';

/** When a sign-out without an answer is told to the user, in milliseconds. */
const SIGN_OUT_MILLIS = 4000;

/**
 * Opens a connection. The token lives in the storage of the tab: a reload keeps the session, and a browser may
 * restore it with the tab. The reason of its end takes its place there, up to the next sign-in.
 *
 * @param keptAt the name in the storage of the tab
 */
export function openConnection(keptAt: string): Connection {
  const kept = sessionStorage.getItem(keptAt);
  const client = createApiClient({ baseUrl: location.origin, ...(kept !== null && { token: kept }) });
  const listeners = new Set<() => void>();
  const endedAt = `${keptAt}.ended`;
  let endedBy = sessionStorage.getItem(endedAt);
  let session: SessionState = kept !== null ? 'open' : endedBy !== null ? 'ended' : 'none';
  let generation = 0;
  let isSignOutOpen = false;
  let isPasswordDue = false;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function change(next: SessionState, reason: string | null = null): void {
    endedBy = next === 'ended' ? (reason ?? '') : reason;
    isPasswordDue = false;
    if (endedBy === null) sessionStorage.removeItem(endedAt);
    else sessionStorage.setItem(endedAt, endedBy);
    if (next === 'open' && client.token !== null) sessionStorage.setItem(keptAt, client.token);
    else sessionStorage.removeItem(keptAt);
    session = next;
    tell();
  }

  function noteAnswer({ status, code }: NotedAnswer, token: string | null): void {
    // The answer to a request of an earlier session says nothing about the present one.
    const isOfPresent = token !== null && token === client.token;
    if (!isOfPresent || session !== 'open') return;
    if (status === 401) change('ended', code);
    if (status === 403 && code === PASSWORD_DUE && !isPasswordDue) {
      isPasswordDue = true;
      tell();
    }
  }

  client.api.use({
    onRequest({ request }) {
      request.headers.set('Accept-Language', preferredLanguage());
    },
    async onResponse({ request, response }) {
      const token = request.headers.get('Authorization')?.replace(/^Bearer /, '') ?? null;
      const isTold = response.status === 401 || response.status === 403;
      const code = isTold ? codeOf(await response.clone().text()) : null;
      noteAnswer({ status: response.status, code }, token);
    },
  });

  return {
    client,
    get session() {
      return session;
    },
    get endedBy() {
      return endedBy;
    },
    get isPasswordDue() {
      return isPasswordDue;
    },
    get generation() {
      return generation;
    },
    noteSignIn() {
      generation += 1;
      isSignOutOpen = false;
      change('open');
    },
    signOut() {
      const ended = client.signOut();
      change('none');
      const note = (isOpen: boolean) => {
        isSignOutOpen = isOpen;
        tell();
      };
      const timer = setTimeout(() => note(true), SIGN_OUT_MILLIS);
      ended
        // A session that the service refuses has ended there, too.
        .catch((error: unknown) => error instanceof RefusedError && error.problem.status === 401)
        .then((isEnded) => note(isEnded === false))
        .finally(() => clearTimeout(timer));
    },
    noteEnd(reason) {
      client.forgetSession();
      change('none', reason);
    },
    get isSignOutOpen() {
      return isSignOutOpen;
    },
    noteAnswer,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The code of a refusal. Null: something in front of the service answered. */
function codeOf(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text);
    const hasCode = typeof answer === 'object' && answer !== null && 'code' in answer;
    return hasCode && typeof answer.code === 'string' ? answer.code : null;
  } catch {
    return null;
  }
}
