import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED_IN_TAB, type SharedConnection, share, takeOver } from '../src/service/shared-session.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const newToken = () => `${randomBytes(12).toString('base64url')}.${randomBytes(12).toString('base64url')}`;

/** A tab with an open session. */
function openTab(name: string, token: string | null) {
  const listeners = new Set<() => void>();
  const ends: (string | undefined)[] = [];
  const state = { token, session: token === null ? 'none' : 'open' } as {
    token: string | null;
    session: 'none' | 'open';
  };
  const end = () => {
    Object.assign(state, { token: null, session: 'none' });
    for (const listener of listeners) listener();
  };
  const connection: SharedConnection = {
    client: {
      get token() {
        return state.token;
      },
    },
    get session() {
      return state.session;
    },
    noteEnd(reason) {
      ends.push(reason);
      end();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  closers.push(share(connection, name));
  return { ends, signOut: end, state };
}

/** What a script on the origin hears on the channel, and how it speaks. */
function openEar(name: string) {
  const channel = new BroadcastChannel(name);
  const heard: Record<string, unknown>[] = [];
  channel.onmessage = ({ data }: MessageEvent) => heard.push(data);
  closers.push(() => channel.close());
  return { heard, say: (message: unknown) => channel.postMessage(message) };
}

const channelName = () => `tabs-${randomBytes(6).toString('hex')}`;

describe('a session that tabs share', () => {
  it('CON-9 is handed to a new tab once, by the tab whose offer it took', async () => {
    const name = channelName();
    const token = newToken();
    openTab(name, token);
    openTab(name, token);
    openTab(name, null);
    const { heard } = openEar(name);
    expect(await takeOver(name)).toBe(token);
    const withToken = heard.filter((message) => JSON.stringify(message).includes(token));
    expect(withToken.map(({ kind }) => kind)).toEqual(['give']);
  });

  it('CON-9 is none where no tab has one, on another channel, or where tabs have different ones', async () => {
    const [alone, elsewhere, two] = [channelName(), channelName(), channelName()];
    openTab(alone, null);
    openTab(elsewhere, newToken());
    openTab(two, newToken());
    openTab(two, newToken());
    expect(await Promise.all([takeOver(alone), takeOver(channelName()), takeOver(two)])).toEqual([null, null, null]);
  });

  it('CON-9 ends in every tab that has it when it ends in one, with the reason, and no other session does', async () => {
    const name = channelName();
    const token = newToken();
    const [first, second, other] = [openTab(name, token), openTab(name, token), openTab(name, newToken())];
    const { heard } = openEar(name);
    first.signOut();
    await expect.poll(() => second.ends).toEqual([ENDED_IN_TAB]);
    expect([first.ends, other.ends, other.state.session]).toEqual([[], [], 'open']);
    // It is told once, and the message names no token.
    expect(heard.map(({ kind }) => kind)).toEqual(['ended']);
    expect(JSON.stringify(heard)).not.toContain(token);
    expect(await takeOver(name)).toBe(other.state.token);
  });

  it.each([
    { attack: 'a session that nobody offered', given: () => newToken() },
    { attack: 'a text that would be two headers', given: () => 'a-long-enough-text\r\nX-Other: 1' },
    { attack: 'no text', given: () => 7 },
  ])('CON-9 a new tab takes no $attack', async ({ given }) => {
    const name = channelName();
    const { heard, say } = openEar(name);
    const taken = takeOver(name);
    // It waits 400 ms for an offer.
    await expect.poll(() => heard, { interval: 1 }).toHaveLength(1);
    const to = heard[0]?.from;
    say({ kind: 'give', to, token: given() });
    say({ kind: 'offer', to, from: 'x', mark: 'of another token' });
    await expect.poll(() => heard.map(({ kind }) => kind)).toEqual(['ask', 'take']);
    say({ kind: 'give', to, token: given() });
    expect(await taken).toBeNull();
  });

  it('CON-9 messages without their fields do nothing, and a stranger to the token ends no session', async () => {
    const name = channelName();
    const tab = openTab(name, newToken());
    const { heard, say } = openEar(name);
    for (const message of [null, 'ask', { kind: 'ask' }, { kind: 'toString' }, { kind: 'take', to: 1, from: 2 }]) {
      say(message);
    }
    say({ kind: 'ended', mark: 'a guess' });
    say({ kind: 'take', to: 'a guess', from: 'x' });
    say({ kind: 'ask', from: 'x' });
    await expect.poll(() => heard.map(({ kind }) => kind)).toEqual(['offer']);
    expect(tab.state.session).toBe('open');
  });
});
