import { afterEach, describe, expect, it, vi } from 'vitest';
import { uploadQueueOf } from '../../src/places/files/upload-queue.js';
import type { Connection } from '../../src/service/connection.js';

type Answer = 'lost' | 201 | { readonly status: number; readonly code: string };

const refusal = (status: number, code: string) => ({ status, code });

/** A service that answers uploads so, one after the other, and the keys that it got. */
function answering(answers: readonly Answer[]) {
  const keys: string[] = [];
  class Request {
    readonly upload = {};
    status = 0;
    response: unknown = null;
    onload?(): void;
    onerror?(): void;
    open(): void {}
    abort(): void {}
    setRequestHeader(name: string, value: string): void {
      if (name === 'Idempotency-Key') keys.push(value);
    }
    send(): void {
      const answer = answers[keys.length - 1]!;
      if (answer === 'lost') {
        this.onerror?.();
        return;
      }
      this.status = typeof answer === 'number' ? answer : answer.status;
      this.response = typeof answer === 'number' ? {} : { ...answer, detail: '', requestId: '' };
      this.onload?.();
    }
  }
  vi.stubGlobal('XMLHttpRequest', Request);
  vi.stubGlobal('localStorage', { getItem: () => 'en' });
  let changed = () => {};
  const connection = {
    session: 'open',
    client: { token: 't' },
    noteAnswer({ status }: { status: number }) {
      if (status === 401) connection.session = 'ended';
    },
    subscribe(listener: () => void) {
      changed = listener;
      return () => {};
    },
  };
  return {
    keys,
    queue: uploadQueueOf(connection as unknown as Connection),
    signIn() {
      connection.session = 'open';
      changed();
    },
  };
}

afterEach(() => vi.unstubAllGlobals());

describe('the queue of uploads', () => {
  const file = new File(['x'], 'a.txt');

  it.each([
    ['a limit', refusal(429, 'TOO_MANY_REQUESTS')],
    ['an outage', refusal(503, 'IDEMPOTENCY_STORE_UNAVAILABLE')],
  ])('CON-9 keeps the key of an attempt without an answer, past %s', async (_, between) => {
    const { keys, queue } = answering(['lost', between, 201]);
    queue.add([file], false);
    for (const sent of [1, 2]) {
      await vi.waitFor(() => expect([keys.length, queue.uploads[0]?.state.kind]).toEqual([sent, 'failed']));
      queue.retry(queue.uploads[0]!.id);
    }
    await vi.waitFor(() => expect(queue.uploads[0]?.state.kind).toBe('stored'));
    expect(new Set(keys).size).toBe(1);
  });

  it('CON-9 keeps it past the end of the session, and sends the file after the next sign-in', async () => {
    const { keys, queue, signIn } = answering(['lost', refusal(401, 'UNAUTHORIZED'), 201]);
    queue.add([file], false);
    await vi.waitFor(() => expect(queue.uploads[0]?.state.kind).toBe('failed'));
    queue.retry(queue.uploads[0]!.id);
    await vi.waitFor(() => expect([keys.length, queue.uploads[0]?.state.kind]).toEqual([2, 'waiting']));
    signIn();
    await vi.waitFor(() => expect(queue.uploads[0]?.state.kind).toBe('stored'));
    expect(new Set(keys).size).toBe(1);
  });

  it.each([refusal(413, 'FILE_TOO_LARGE'), refusal(409, 'IDEMPOTENCY_OUTCOME_UNKNOWN')])(
    'CON-9 takes a new key after a decided refusal: $code',
    async (decided) => {
      const { keys, queue } = answering([decided, 201]);
      queue.add([file], false);
      await vi.waitFor(() => expect(queue.uploads[0]?.state.kind).toBe('failed'));
      queue.retry(queue.uploads[0]!.id);
      await vi.waitFor(() => expect(queue.uploads[0]?.state.kind).toBe('stored'));
      expect(new Set(keys).size).toBe(2);
    },
  );
});
