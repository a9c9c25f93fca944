import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EnvelopeCryptoOptions } from '../../src/index.js';
import { seal } from '../sealed-request.js';
import { createService, type Service } from '../service.js';

type Schedule = NonNullable<EnvelopeCryptoOptions['scheduleQueryOpening']>;

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

async function serve(scheduleQueryOpening: Schedule, onRequest = async () => {}, more: EnvelopeCryptoOptions = {}) {
  const handler = vi.fn(async () => ({ data: 'balance' }));
  const service = await createService({
    crypto: { scheduleQueryOpening, ...more },
    routes: (app) => app.get('/balance', { onRequest }, handler),
  });
  opened.push(service);
  async function send(ts = 0, text?: string) {
    const sealed = seal(service, { method: 'GET', path: '/balance', carrier: 'query' });
    const members = { ...sealed.members, ts: Number(sealed.members.ts) + ts };
    const { statusCode, body } = await sealed.send(text === undefined ? { members } : { text });
    return `${statusCode} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`.trim();
  }
  return { handler, good: () => send(), forged: () => send(1), malformed: () => send(0, '{}') };
}

describe('scheduleQueryOpening', () => {
  const careless: Readonly<Record<string, Schedule>> = {
    'is awaited': (_request, _reply, open) => open(),
    'is not awaited': async (_request, _reply, open) => void open(),
    'is called twice': async (_request, _reply, open) => void (await Promise.all([open(), open()])),
    'loses its rejection': (_request, _reply, open) => open().catch(() => {}),
  };
  it.each(Object.entries(careless))(
    'ORD-6 an opening that %s serves what opens, and nothing else',
    async (...given) => {
      const { handler, good, forged, malformed } = await serve(given[1]);
      const answers = [await good(), await forged(), await malformed(), await good()];
      expect(answers).toEqual(['200', '400 ENVELOPE_REJECTED', '400 ENVELOPE_MALFORMED', '200']);
      expect(handler).toHaveBeenCalledTimes(2);
    },
  );

  it('ORD-6 what is never opened is not served', async () => {
    const { handler, good } = await serve(async () => {});
    expect(await good()).toBe('500 ENVELOPE_NOT_DELIVERED');
    expect(handler).not.toHaveBeenCalled();
  });

  it('ORD-6 a refusal holds, though the opening ends before the next stage', async () => {
    let opening: Promise<void> | undefined;
    const { handler, good } = await serve(
      async (_request, _reply, open) => {
        opening = open();
        throw Object.assign(new Error('too many'), { statusCode: 429, code: 'TOO_MANY' });
      },
      // As a rate limit that asks its store.
      () => opening!,
      // Its threads answer later.
      { backend: 'portable' },
    );
    expect(await good()).toBe('429 TOO_MANY');
    expect(handler).not.toHaveBeenCalled();
  });
});
