import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { readPagesOf } from '../../../scripts/package-pages.mjs';
import * as api from '../src/index.js';
import { POSTGRES_IDEMPOTENCY_STORE_DEFAULTS } from '../src/postgres/index.js';
import { createIdempotentApp, newKey } from './idempotent-app.js';

const pages = readPagesOf('idempotency');

/** The cells of every row whose first cells are these. */
const row = (...start: readonly string[]) =>
  pages
    .split('\n')
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
    .find((cells) => start.every((cell, index) => cells[index] === cell));

describe('the reference', () => {
  it('lists every refusal with its status, code and word for programs', () => {
    const errors = Object.entries(api).filter(([name]) => /^Idempotency.+Error$/.test(name) && !name.includes('Setup'));
    expect(errors).toHaveLength(10);
    for (const [, value] of errors) {
      const Refusal = value as unknown as new (
        ...args: unknown[]
      ) => { statusCode: number; code: string; clientAction?: string };
      const { statusCode, code, clientAction } = new Refusal(1, null);
      expect(row(String(statusCode), `\`${code}\``)?.[2]).toBe(clientAction === undefined ? '' : `\`${clientAction}\``);
    }
  });

  it('shows the exact body of a refusal', async () => {
    const { submit } = await createIdempotentApp({ store: createMemoryStore() });
    const key = newKey();
    await submit({ key });
    const shown = /```json\n([\s\S]*?)```/.exec(pages)?.[1] as string;
    expect((await submit({ key })).json()).toEqual(JSON.parse(shown));
  });

  it('lists every option with its default', () => {
    const plain = Object.entries({ ...api.IDEMPOTENCY_DEFAULTS, ...POSTGRES_IDEMPOTENCY_STORE_DEFAULTS });
    for (const [name, value] of plain) {
      const cells = row(`\`${name}\``);
      expect(cells, name).toBeDefined();
      const shown = typeof value === 'string' ? `'${value}'` : String(value);
      if (typeof value !== 'function' && typeof value !== 'object') expect(cells?.[2]).toBe(`\`${shown}\``);
    }
  });
});
