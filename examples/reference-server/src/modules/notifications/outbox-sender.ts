import type { TtlStore } from '@sallyport/ttl-store';
import type { Sender, TextMessage } from './notification.js';

/** A message that nobody sent: what it says, and to whom. */
export type OutboxMessage = Pick<TextMessage, 'id' | 'mobile' | 'text' | 'code'> & { readonly sentAt: number };

/** The sender of the development profile (APP-4): keeps messages where a developer reads them. Production has none. */
export interface Outbox extends Sender {
  /** The newest first. */
  read(): Promise<readonly OutboxMessage[]>;
}

const KEY = 'development-outbox';
const MAX_MESSAGES = 200;
const KEPT_MILLIS = 24 * 3_600_000;

/** @param store shared by the server and a worker in a process of its own */
export function createOutbox(store: Pick<TtlStore, 'get' | 'compareAndSet'>, now: () => number = Date.now): Outbox {
  const parse = (text: string | null) => (text === null ? [] : (JSON.parse(text) as OutboxMessage[]));

  async function keep({ id, mobile, text, code }: TextMessage): Promise<void> {
    for (;;) {
      const present = await store.get(KEY);
      const next = [{ id, mobile, text, code, sentAt: now() }, ...parse(present)].slice(0, MAX_MESSAGES);
      if (await store.compareAndSet(KEY, present, JSON.stringify(next), KEPT_MILLIS)) return;
    }
  }

  return {
    prepare: async (message) => ({ send: () => keep(message), abandon: () => {} }),
    read: async () => parse(await store.get(KEY)),
  };
}
