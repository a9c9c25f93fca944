import type { ApiClient } from './api-client.js';

/** An event of a stream. */
export interface StreamedEvent {
  /** The value of `Last-Event-ID`, to go on after it. Null: the event has no news. */
  readonly id: string | null;
  /** Opened, if the connection is encrypted. */
  readonly data: string;
}

/** The end of an event. */
const END = '\n\n';

/**
 * The events of a stream, in their order, until it ends. Fails where it is cut, and where an event is not the
 * service's. A program that stops early cancels the stream.
 *
 * @param response of an operation that was called with `parseAs: 'stream'`
 */
export async function* readEvents(
  { encryption }: Pick<ApiClient, 'encryption'>,
  response: Response,
): AsyncGenerator<StreamedEvent, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const events = text.split(END);
      text = events.pop() ?? '';
      for (const event of events) {
        const lines = event.split('\n');
        const fieldOf = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
        yield { id: fieldOf('id'), data: await encryption.openEvent(response, fieldOf('data') ?? '') };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
