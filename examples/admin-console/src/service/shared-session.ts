import { hashPassword } from '@sallyport/api-client';
import type { Connection } from './connection.js';

/** The code of an end that another tab has brought about. */
export const ENDED_IN_TAB = 'ENDED_IN_TAB';

/** How long a new tab waits for a first offer, in milliseconds. Then it shows the sign-in. */
const FIRST_OFFER_MILLIS = 400;

/** How long it waits for others after the first, in milliseconds: they may be of another session. */
const OTHER_OFFERS_MILLIS = 80;

/** A token as the service issues it. Nothing else becomes the header of a request. */
const TOKEN = /^[A-Za-z0-9._-]{16,8192}$/;

/**
 * The messages between tabs. A token is in one alone, which answers the tab that took the offer. A mark is the digest
 * of a token: who knows it knows no token.
 */
type Message =
  | { readonly kind: 'ask'; readonly from: string }
  | { readonly kind: 'offer'; readonly to: string; readonly from: string; readonly mark: string }
  | { readonly kind: 'take'; readonly to: string; readonly from: string }
  | { readonly kind: 'give'; readonly to: string; readonly token: string }
  | { readonly kind: 'ended'; readonly mark: string };

const FIELDS: Readonly<Record<Message['kind'], readonly string[]>> = {
  ask: ['from'],
  offer: ['to', 'from', 'mark'],
  take: ['to', 'from'],
  give: ['to', 'token'],
  ended: ['mark'],
};

/** Opens the channel between tabs of this browser on this origin. Messages of any other form are ignored. */
function openChannel(name: string, onMessage: (message: Message) => void) {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isMessage(data)) onMessage(data);
  };
  return { send: (message: Message) => channel.postMessage(message), close: () => channel.close() };
}

function isMessage(data: unknown): data is Message {
  if (typeof data !== 'object' || data === null) return false;
  const fields = new Map<string, unknown>(Object.entries(data));
  const names = Object.entries(FIELDS).find(([kind]) => kind === fields.get('kind'))?.[1];
  return names?.every((name) => typeof fields.get(name) === 'string') === true;
}

/**
 * Asks the open tabs for their session. Null: none has one, or two have different ones, and the tab would act for
 * whichever answered first.
 *
 * @param name the channel
 */
export function takeOver(name: string): Promise<string | null> {
  const self = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const offers = new Map<string, string>();
  return new Promise((resolve) => {
    let timer = setTimeout(settle, FIRST_OFFER_MILLIS, null);
    const channel = openChannel(name, (message) => {
      if (!('to' in message) || message.to !== self) return;
      if (message.kind === 'offer') {
        offers.set(message.mark, message.from);
        if (offers.size > 1) return settle(null);
        clearTimeout(timer);
        timer = setTimeout(take, OTHER_OFFERS_MILLIS, message.from);
      }
      // It has to be the session that was offered.
      if (message.kind === 'give' && TOKEN.test(message.token) && offers.has(markOf(message.token))) {
        settle(message.token);
      }
    });
    channel.send({ kind: 'ask', from: self });

    function take(from: string): void {
      timer = setTimeout(settle, FIRST_OFFER_MILLIS, null);
      channel.send({ kind: 'take', to: from, from: self });
    }

    function settle(token: string | null): void {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    }
  });
}

/** What tabs share of a {@link Connection}. */
export type SharedConnection = Pick<Connection, 'session' | 'noteEnd' | 'subscribe'> & {
  readonly client: Pick<Connection['client'], 'token'>;
};

/**
 * Hands the session of this tab to new ones that ask, and ends with it where another tab ends it.
 *
 * @param name the channel
 * @returns ends the sharing
 */
export function share(connection: SharedConnection, name: string): () => void {
  const self = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const tokenOf = () => (connection.session === 'open' ? connection.client.token : null);
  let last = tokenOf();
  const channel = openChannel(name, (message) => {
    const token = tokenOf();
    if (token === null) return;
    const isForMe = message.kind === 'take' && message.to === self;
    if (message.kind === 'ask') channel.send({ kind: 'offer', to: message.from, from: self, mark: markOf(token) });
    if (isForMe) channel.send({ kind: 'give', to: message.from, token });
    if (message.kind === 'ended' && message.mark === markOf(token)) {
      // The tab that ended it has told the others.
      last = null;
      connection.noteEnd(ENDED_IN_TAB);
    }
  });
  const unsubscribe = connection.subscribe(() => {
    // An end that the service told is told to each tab by its own answers.
    if (connection.session === 'none' && last !== null) channel.send({ kind: 'ended', mark: markOf(last) });
    last = tokenOf();
  });
  return () => {
    unsubscribe();
    channel.close();
  };
}

const markOf = (token: string) => hashPassword(`tab ${token}`);
