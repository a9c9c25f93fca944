import { readFileSync } from 'node:fs';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { createFormKey } from '../src/client.js';
import { createIdempotentApp, tally } from './idempotent-app.js';

describe('IDM-10 the key of a form', () => {
  const content = { payee: 'Ada', amount: '12.50', tags: ['a', 'b'] };

  it('is the same for repeated clicks and network retries, whatever the order of the members', () => {
    const form = createFormKey();
    const key = form.keyFor(content);
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(form.keyFor(content)).toBe(key);
    expect(form.keyFor({ tags: ['a', 'b'], amount: '12.50', payee: 'Ada' })).toBe(key);
  });

  it('is a new one whenever the content changes, also back to an earlier one', () => {
    const form = createFormKey();
    const keys = [
      form.keyFor(content),
      form.keyFor({ ...content, amount: '12.51' }),
      form.keyFor({ ...content, tags: ['b', 'a'] }),
      form.keyFor(content),
      form.keyFor(null),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is refused to content that is not JSON, since two such contents could not be told apart', () => {
    const { keyFor } = createFormKey();
    const fields = new FormData();
    fields.set('amount', '12.50');
    for (const foreign of [fields, new URLSearchParams('a=1'), { tags: new Set(['a']) }, () => {}, { big: 1n }]) {
      expect(() => keyFor(foreign)).toThrow();
    }
    expect(keyFor(Object.fromEntries(fields))).toBe(keyFor({ amount: '12.50' }));
    expect(keyFor({ at: new Date(0) })).not.toBe(keyFor({ at: new Date(1) }));
  });

  it('is a new one after a reset, and for another form', () => {
    const form = createFormKey();
    const key = form.keyFor(content);
    form.reset();
    expect(form.keyFor(content)).not.toBe(key);
    expect(createFormKey().keyFor(content)).not.toBe(key);
  });

  it('makes a double click one payment, and a second submission after a reset another', async () => {
    const { submit, rows } = await createIdempotentApp({ store: createMemoryStore() });
    const form = createFormKey();
    const click = () => submit({ key: form.keyFor(content), body: content });
    const { done } = tally(await Promise.all([click(), click(), click()]));
    expect([done, rows.length]).toEqual([1, 1]);
    form.reset();
    expect((await click()).statusCode).toBe(201);
    expect(rows).toHaveLength(2);
  });

  it('runs in browsers: it imports nothing of Node', () => {
    const sources = ['client', 'canonical-json'].map((name) =>
      readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8'),
    );
    const imports = sources.flatMap((source) => [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name));
    expect(imports).toEqual(['./canonical-json.js', 'canonicalize']);
    for (const source of sources) expect(source).not.toMatch(/\bBuffer\b|process\b|require\(/);
  });
});
