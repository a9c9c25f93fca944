import { type ApiClient, RefusedError } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import { followActivity, type StreamState } from '../src/places/watch/follow-activity.js';

interface Attempt {
  /** The texts of events, then the end. */
  readonly events?: readonly string[];
  /** Whether it is cut, and not ended. */
  readonly isCut?: boolean;
  readonly status?: number;
}

const activity = (count: number) => JSON.stringify({ kind: 'activity', activity: { count } });
const event = (id: string, data: string) => `id: ${id}\ndata: ${data}\n\n`;

/** Follows streams of a service that answers so, then stops. */
async function follow(attempts: readonly Attempt[]) {
  const ending = new AbortController();
  const asked: (string | undefined)[] = [];
  const pauses: number[] = [];
  const shown: unknown[] = [];
  const states: StreamState[] = [];
  const api = {
    async GET(_path: string, { params }: { params: { header?: { 'Last-Event-ID'?: string } } }) {
      const attempt = attempts[asked.length];
      asked.push(params.header?.['Last-Event-ID']);
      if (attempt === undefined) {
        ending.abort();
        throw new TypeError('the test is over');
      }
      const { events = [], isCut = false, status } = attempt;
      if (status !== undefined) return { error: { status, code: 'X', detail: '' }, response: new Response() };
      const left = [...events];
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = left.shift();
          if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
          else if (isCut) controller.error(new TypeError('network error'));
          else controller.close();
        },
      });
      return { data: body, response: new Response(body) };
    },
  };
  const encryption = { openEvent: async (_response: Response, data: string) => data };
  const error = await followActivity({
    client: { api, encryption } as unknown as ApiClient,
    window: 'hour',
    signal: ending.signal,
    onActivity: (each) => shown.push(each),
    onState: (state) => states.push(state),
    pause: async (millis) => void pauses.push(millis),
  }).catch((thrown: unknown) => thrown);
  return { asked, pauses, shown, states, error };
}

it('CON-6 after a cut it goes on after the last event, at once and then ever more slowly', async () => {
  const { asked, pauses, shown, states } = await follow([
    { events: [event('a', activity(1)), event('b', activity(2)), 'data: {"kind":"beat"}\n\n'], isCut: true },
    { status: 503 },
    { status: 429 },
    { events: ['data: {"kind":"unchan', 'ged"}\n\n', event('c', activity(3))] },
    {},
  ]);
  expect(asked).toEqual([undefined, 'b', 'b', 'b', 'c', 'c']);
  expect(shown).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }]);
  expect(pauses).toEqual([250, 1000, 2000, 250, 1000]);
  expect(states).toEqual(['live', 'live', 'live', 'cut', 'cut', 'away', 'live', 'live', 'cut', 'cut']);
});

it.each([401, 403])('CON-6 it does not try again after a refusal that stays: %i', async (status) => {
  const { asked, error } = await follow([{ events: [event('a', activity(1))], isCut: true }, { status }]);
  expect(asked).toHaveLength(2);
  expect(error).toBeInstanceOf(RefusedError);
});
