import { createHash } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { Sender, TextMessage } from './notification.js';

/** A message in the outbox. */
export type OutboxMessage = Pick<TextMessage, 'id' | 'mobile' | 'text' | 'code'> & { readonly sentAt: number };

/**
 * The sender of the development profile (APP-4): stores messages for developers instead of sending them. Never used in
 * production.
 */
export interface Outbox extends Sender {
  /** The newest first. */
  read(): Promise<readonly OutboxMessage[]>;
}

const KEY = 'development-outbox';
const MAX_MESSAGES = 200;
const KEPT_MILLIS = 24 * 3_600_000;

/** @param store shared by the server and a separate worker process */
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

const STYLE = [
  'body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}',
  'table{border-collapse:collapse;width:100%}',
  'td,th{border-bottom:1px solid #ccc;padding:.4rem .6rem;text-align:left}',
].join('');

/** The page loads nothing, runs nothing and can't be framed. One inline style is allowed. */
export const OUTBOX_PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const REFRESH_SECONDS = 3;

/** Renders the development outbox as a page without scripts. The browser reloads it every few seconds. */
export function renderOutboxPage(messages: readonly OutboxMessage[]): string {
  const rows = messages.map(({ sentAt, mobile, code, text }) => {
    const cells = [new Date(sentAt).toISOString(), mobile, code, text].map((cell) => `<td>${escapeHtml(cell)}</td>`);
    return `<tr>${cells.join('')}</tr>`;
  });
  const table = `<table><tr><th>time</th><th>to</th><th>code</th><th>text</th></tr>${rows.join('')}</table>`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Development outbox</title>',
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}"><style>${STYLE}</style></head><body>`,
    '<h1>Development outbox</h1><p>Messages that production would have sent, the newest first.</p>',
    messages.length === 0 ? '<p>None yet.</p>' : table,
    '</body></html>\n',
  ].join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
