import type { RefusalCode } from '@sallyport/api-client';

/** Refusals of a request that the same session may send again after a proof. */
const PROVABLE: readonly (RefusalCode | null)[] = ['STEP_UP_REQUIRED', 'SECOND_FACTOR_REQUIRED'];

/** Why the user is asked. */
export type ProofReason = 'STEP_UP_REQUIRED' | 'SECOND_FACTOR_REQUIRED';

/**
 * Stands between every form and the service: a request that needs a proof waits until the user has given it, and is
 * sent again as it was. The form sees the second answer alone, so nothing that was typed is lost.
 */
export interface ProofGate {
  /** Null: nothing is asked. */
  readonly asked: ProofReason | null;
  /** Keeps what a request sends. Resolves to the request to send in its place. */
  keep(request: Request): Promise<Request>;
  /** The answer of the service, or the one after the proof. */
  pass(request: Request, refused: { readonly response: Response; readonly code: string | null }): Promise<Response>;
  /** Ends the question: the requests that wait are sent again, or get their refusal. */
  end(isProven: boolean): void;
}

export interface ProofGateOptions {
  /** Informs the page that the question has changed. */
  readonly tell: () => void;
  readonly send: (request: Request) => Promise<Response>;
}

const isReason = (code: string | null): code is ProofReason => PROVABLE.includes(code as RefusalCode | null);

const isJson = (request: Request) => request.headers.get('Content-Type')?.startsWith('application/json') === true;

export function createProofGate({ tell, send }: ProofGateOptions): ProofGate {
  const copies = new WeakMap<Request, () => Request>();
  let asked: ProofReason | null = null;
  let waiting: ((isProven: boolean) => void)[] = [];

  /** One question for all requests that wait. */
  function ask(reason: ProofReason, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(false), { once: true });
      if (asked !== null) return;
      asked = reason;
      tell();
    });
  }

  return {
    get asked() {
      return asked;
    },
    async keep(request) {
      // A clone would share its content with the request as a stream, whose length the browser does not tell.
      const text = isJson(request) ? await request.text() : '';
      const again = () => (text === '' ? new Request(request) : new Request(request, { body: text }));
      const sent = text === '' ? request : again();
      // Other content, such as a file, would be kept in memory.
      if (text !== '' || request.headers.get('Content-Type') === null) copies.set(sent, again);
      return sent;
    },
    async pass(request, { response, code }) {
      const copy = copies.get(request);
      copies.delete(request);
      if (response.status !== 403 || !isReason(code) || copy === undefined) return response;
      return (await ask(code, request.signal)) ? send(copy()) : response;
    },
    end(isProven) {
      if (asked === null) return;
      const resolved = waiting;
      waiting = [];
      asked = null;
      for (const resolve of resolved) resolve(isProven);
      tell();
    },
  };
}
