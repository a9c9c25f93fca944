import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemorySource, createSystemParameters, type ParameterWarning } from '../src/index.js';
import { createPostgresNotifier } from '../src/postgres/index.js';
import { tables } from './login-parameters.js';

/** postgres.js, as far as the notifier sees it: a pooler can swallow what is sent. */
function createPooledClient() {
  const state = { isDelivered: true, hangs: false, sent: 0 };
  const listeners = new Set<(payload: string) => void>();
  return {
    state,
    async listen(_channel: string, onNotify: (payload: string) => void, onListen?: () => void) {
      listeners.add(onNotify);
      onListen?.();
      return { unlisten: async () => void listeners.delete(onNotify) };
    },
    async notify(_channel: string, payload: string) {
      state.sent += 1;
      if (state.hangs) await new Promise(() => {});
      if (state.isDelivered) for (const listener of listeners) listener(payload);
    },
  };
}

describe('a notifier that pings itself', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  async function start(client: ReturnType<typeof createPooledClient>) {
    const warnings: ParameterWarning['kind'][] = [];
    const read = vi.fn();
    const source = createMemorySource();
    const engine = createSystemParameters({
      tables,
      source: {
        ...source,
        read: (keys) => {
          read();
          return source.read(keys);
        },
      },
      notifier: createPostgresNotifier({ client }),
      warn: ({ kind }) => void warnings.push(kind),
      now: () => 0,
    });
    await engine.start();
    return { engine, warnings, read };
  }

  it('REL-15 silence is noticed within 5 s, in the warnings and in health, and changes are polled', async () => {
    const client = createPooledClient();
    const { engine, warnings, read } = await start(client);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(warnings).toEqual([]);
    expect(engine.health()).not.toHaveProperty('isNotified');
    client.state.isDelivered = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(warnings).toEqual(['notifier-silent']);
    expect(engine.health()).toMatchObject({ state: 'current', isNotified: false });
    await new Promise(setImmediate);
    const before = read.mock.calls.length;
    await vi.advanceTimersByTimeAsync(2500);
    await new Promise(setImmediate);
    expect(read.mock.calls.length).toBe(before + 1);
    client.state.isDelivered = true;
    await vi.advanceTimersByTimeAsync(5000);
    expect(warnings).toEqual(['notifier-silent', 'notifier-back']);
    expect(engine.health()).toMatchObject({ isNotified: true });
    await engine.close();
    const { sent } = client.state;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.state.sent).toBe(sent);
  });

  it('REL-15 a database that hangs gets one ping, and a ping makes no node read', async () => {
    const client = createPooledClient();
    const [one, other] = [await start(client), await start(client)];
    await new Promise(setImmediate);
    const reads = () => one.read.mock.calls.length + other.read.mock.calls.length;
    const before = reads();
    await vi.advanceTimersByTimeAsync(10_000);
    await new Promise(setImmediate);
    expect(reads()).toBe(before);
    client.state.hangs = true;
    await vi.advanceTimersByTimeAsync(5000);
    const { sent } = client.state;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.state.sent).toBe(sent);
    expect(one.warnings).toEqual(['notifier-silent']);
    await Promise.all([one.engine.close(), other.engine.close()]);
  });
});
