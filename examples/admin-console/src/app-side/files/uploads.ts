import { type IdempotencyHeader, newKey, RefusedError } from '@sallyport/api-client';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sendFile } from '../../service/send-file.js';
import { useConnection } from '../../service/service.js';
import { keepsKey } from '../../service/write.js';

/** A file on its way. */
export interface Upload {
  readonly id: string;
  readonly file: File;
  readonly publicPreview: boolean;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  /** What has left the page, from 0 to 1. */
  readonly share: number;
  readonly error: Error | null;
}

export interface Uploads {
  /** The newest first. */
  readonly list: readonly Upload[];
  add(files: readonly File[], publicPreview: boolean): void;
  /** Sends a file again, as the same write. */
  retry(upload: Upload): void;
  /** Takes an upload off the list, and ends it if it is under way. */
  remove(upload: Upload): void;
}

const isRefused = (error: unknown): error is RefusedError => error instanceof RefusedError;

/** Sends files one after the other. A reload of the page ends them. */
export function useUploads(changes: QueryKey): Uploads {
  const connection = useConnection();
  const queries = useQueryClient();
  const [list, setList] = useState<readonly Upload[]>([]);
  const turn = useRef<Promise<void>>(Promise.resolve());
  const keys = useRef(new Map<string, IdempotencyHeader>());
  const controllers = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const running = controllers.current;
    return () => {
      for (const controller of running.values()) controller.abort();
    };
  }, []);

  function change(id: string, changed: Partial<Upload>): void {
    setList((last) => last.map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)));
  }

  async function note(id: string): Promise<void> {
    change(id, { state: 'done', share: 1 });
    await queries.invalidateQueries({ queryKey: changes });
  }

  async function send({ id, file, publicPreview }: Upload, controller: AbortController): Promise<void> {
    if (controller.signal.aborted) return;
    const open = keys.current.get(id);
    const key = open ?? newKey();
    keys.current.set(id, key);
    change(id, { state: 'sending' });
    try {
      const onProgress = (share: number) => change(id, { share });
      const { signal } = controller;
      await sendFile(connection, { path: '/app/storage/files', file, publicPreview, key, onProgress, signal });
      await note(id);
    } catch (error) {
      // The first attempt was stored, and its answer was lost.
      if (open !== undefined && isRefused(error) && error.code === 'IDEMPOTENCY_SUBMITTED') return note(id);
      if (!keepsKey(error, { isRepeated: open !== undefined })) keys.current.delete(id);
      change(id, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      controllers.current.delete(id);
    }
  }

  function enqueue(upload: Upload): void {
    const controller = new AbortController();
    controllers.current.set(upload.id, controller);
    turn.current = turn.current.then(() => send(upload, controller));
  }

  return {
    list,
    add(files, publicPreview) {
      const added = files.map<Upload>((file) => ({
        id: crypto.randomUUID(),
        file,
        publicPreview,
        state: 'waiting',
        share: 0,
        error: null,
      }));
      setList((last) => [...added.toReversed(), ...last]);
      for (const upload of added) enqueue(upload);
    },
    retry(upload) {
      change(upload.id, { state: 'waiting', share: 0, error: null });
      enqueue(upload);
    },
    remove({ id }) {
      controllers.current.get(id)?.abort();
      setList((last) => last.filter((upload) => upload.id !== id));
    },
  };
}
