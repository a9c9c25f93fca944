import { type IdempotencyHeader, newKey, RefusedError } from '@sallyport/api-client';
import type { Connection } from '../../service/connection.js';
import { sendFile } from '../../service/send-file.js';
import { keepsKey } from '../../service/write.js';

/**
 * - `waiting`: others are sent first, or the session has ended.
 * - `sending`: `share` of the content has been sent. At 1, the service checks the file.
 * - `failed`: the service refused it, or the connection was lost.
 */
export type UploadState =
  | { readonly kind: 'waiting' | 'stored' | 'cancelled' }
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'failed'; readonly error: Error };

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly publicPreview: boolean;
  readonly state: UploadState;
}

/** The uploads of a session. They go on while the user is in another place. */
export interface UploadQueue {
  /** A new list after each change. */
  readonly uploads: readonly Upload[];
  add(files: readonly File[], publicPreview: boolean): void;
  cancel(id: number): void;
  /** Sends a file again. Default of `publicPreview`: as before. */
  retry(id: number, publicPreview?: boolean): void;
  /** Takes those that have ended off the list, or only one of them. */
  forget(id?: number): void;
  subscribe(listener: () => void): () => void;
}

/** Files that are sent at the same time. More would not be faster. */
const MAX_SENDING = 3;

/** The state between two attempts of one upload. */
interface Attempts {
  /** A repetition after an open outcome has the same key, so the file is stored once. */
  key: IdempotencyHeader;
  isRepeated: boolean;
  controller: AbortController;
}

const queues = new WeakMap<Connection, UploadQueue>();

export function uploadQueueOf(connection: Connection): UploadQueue {
  const queue = queues.get(connection) ?? createUploadQueue(connection);
  queues.set(connection, queue);
  return queue;
}

export function hasEnded({ state: { kind } }: Upload): boolean {
  return kind !== 'waiting' && kind !== 'sending';
}

function createUploadQueue(connection: Connection): UploadQueue {
  const listeners = new Set<() => void>();
  const attempts = new Map<number, Attempts>();
  let uploads: readonly Upload[] = [];
  let lastId = 0;

  function change(next: readonly Upload[]): void {
    uploads = next;
    for (const listener of listeners) listener();
  }

  function set(id: number, part: Partial<Pick<Upload, 'state' | 'publicPreview'>>): void {
    change(uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
  }

  function sendNext(): void {
    if (connection.session !== 'open') return;
    const sending = uploads.filter(({ state }) => state.kind === 'sending').length;
    const waiting = uploads.filter(({ state }) => state.kind === 'waiting');
    for (const upload of waiting.slice(0, Math.max(0, MAX_SENDING - sending))) void send(upload);
  }

  async function send({ id, file, publicPreview }: Upload): Promise<void> {
    const attempt = attempts.get(id) ?? { key: newKey(), isRepeated: false, controller: new AbortController() };
    attempts.set(id, attempt);
    const { signal } = attempt.controller;
    set(id, { state: { kind: 'sending', share: 0 } });
    try {
      const onProgress = (share: number) => set(id, { state: { kind: 'sending', share } });
      const { key } = attempt;
      await sendFile(connection, { path: '/admin/storage/files', file, publicPreview, key, signal, onProgress });
      set(id, { state: { kind: 'stored' } });
    } catch (error) {
      set(id, { state: stateAfter(error, attempt) });
      attempt.isRepeated = keepsKey(error, attempt);
      if (!attempt.isRepeated) attempt.key = newKey();
      attempt.controller = new AbortController();
    }
    sendNext();
  }

  function stateAfter(error: unknown, { isRepeated, controller: { signal } }: Attempts): UploadState {
    if (signal.aborted) return { kind: 'cancelled' };
    if (!(error instanceof RefusedError)) {
      return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
    }
    // It is sent after the next sign-in.
    if (error.problem.status === 401) return { kind: 'waiting' };
    if (isRepeated && error.code === 'IDEMPOTENCY_SUBMITTED') return { kind: 'stored' };
    return { kind: 'failed', error };
  }

  connection.subscribe(() => {
    if (connection.session === 'none') {
      for (const { controller } of attempts.values()) controller.abort();
      attempts.clear();
      change([]);
    }
    sendNext();
  });

  return {
    get uploads() {
      return uploads;
    },
    add(files, publicPreview) {
      const added = files.map((file): Upload => {
        lastId += 1;
        return { id: lastId, file, publicPreview, state: { kind: 'waiting' } };
      });
      change([...uploads, ...added]);
      sendNext();
    },
    cancel(id) {
      const upload = uploads.find((each) => each.id === id);
      if (upload?.state.kind === 'waiting') set(id, { state: { kind: 'cancelled' } });
      else attempts.get(id)?.controller.abort();
    },
    retry(id, publicPreview) {
      const upload = uploads.find((each) => each.id === id);
      if (upload === undefined) return;
      // Other content needs another key.
      if (publicPreview !== undefined && publicPreview !== upload.publicPreview) attempts.delete(id);
      set(id, { state: { kind: 'waiting' }, ...(publicPreview !== undefined && { publicPreview }) });
      sendNext();
    },
    forget(id) {
      const kept = uploads.filter((upload) => !hasEnded(upload) || (id !== undefined && upload.id !== id));
      for (const upload of uploads) if (!kept.includes(upload)) attempts.delete(upload.id);
      change(kept);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
