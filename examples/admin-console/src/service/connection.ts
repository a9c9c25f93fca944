import { type ApiClient, createApiClient, type RefusalCode, RefusedError } from '@sallyport/api-client';
import { preferredLanguage } from '../language/language.js';
import { createProofGate, type ProofGate } from './proof-gate.js';

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
  /** The sign-in that needs a second step. */
  readonly pending: PendingSignIn | null;
  /** Notes a sign-in that needs a second step. Null: it was given up. */
  notePending(pending: PendingSignIn | null): void;
  /** Asks the user to confirm a request that the service refuses without. */
  readonly proofs: ProofGate;
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

/** A sign-in after its first step. The client has a token that serves the second one alone. */
export interface PendingSignIn {
  readonly kinds: readonly string[];
  readonly mustEnrol: boolean;
  /** The token of this device that the sign-in has sent. */
  readonly deviceToken?: string;
  /** Keeps the next one. */
  keepDevice(token: string): void;
}

export interface NotedAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | null;
}

/** The refusal of everything but the own change of the password and the sign-out. */
const PASSWORD_DUE: RefusalCode = 'PASSWORD_CHANGE_REQUIRED';

/** A wrong proof. The session goes on. */
const PROOF_FAILED: RefusalCode = 'SECOND_FACTOR_FAILED';

/** The session lacks a factor that is demanded since. It is set up in a sign-in. */
const ENROLMENT_DUE: RefusalCode = 'SECOND_FACTOR_ENROLMENT_REQUIRED';

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
  let pending: PendingSignIn | null = null;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function change(next: SessionState, reason: string | null = null): void {
    endedBy = next === 'ended' ? (reason ?? '') : reason;
    isPasswordDue = false;
    pending = null;
    proofs.end(false);
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
    if (status === 401 && code !== PROOF_FAILED) change('ended', code);
    if (status === 403 && code === ENROLMENT_DUE) {
      void client.signOut().catch(() => {});
      change('ended', code);
    }
    if (status === 403 && code === PASSWORD_DUE && !isPasswordDue) {
      isPasswordDue = true;
      tell();
    }
  }

  const proofs = createProofGate({ tell, send: (request) => client.encryption.fetch(request) });

  client.api.use({
    onRequest({ request }) {
      request.headers.set('Accept-Language', preferredLanguage());
      return proofs.keep(request);
    },
    async onResponse({ request, response: first }) {
      const token = request.headers.get('Authorization')?.replace(/^Bearer /, '') ?? null;
      const code = await codeOf(first);
      const isOwn = session === 'open' && token !== null && token === client.token;
      const response = isOwn ? await proofs.pass(request, { response: first, code }) : first;
      noteAnswer({ status: response.status, code: response === first ? code : await codeOf(response) }, token);
      return response;
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
    get pending() {
      return pending;
    },
    notePending(next) {
      pending = next;
      if (next === null) void client.signOut().catch(() => {});
      tell();
    },
    proofs,
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

/** The code of a refusal of the session. Null: another answer, or one of something in front of the service. */
async function codeOf(response: Response): Promise<string | null> {
  if (response.status !== 401 && response.status !== 403) return null;
  try {
    const answer: unknown = await response.clone().json();
    const hasCode = typeof answer === 'object' && answer !== null && 'code' in answer;
    return hasCode && typeof answer.code === 'string' ? answer.code : null;
  } catch {
    return null;
  }
}
