/** An event of a stream. */
export interface ReadEvent {
  readonly id: string | null;
  readonly data: string;
}

/** Reads the server-sent events of a response, one by one. Null: the stream has ended. Rejects if it was cut. */
export function eventReader(response: Response): { next(): Promise<ReadEvent | null>; cancel(): Promise<void> } {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const lines = text.slice(0, end).split('\n');
          text = text.slice(end + 2);
          const fieldOf = (name: string) =>
            lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
          return { id: fieldOf('id'), data: fieldOf('data') ?? '' };
        }
        const { done, value } = await reader.read();
        if (done) return null;
        text += value;
      }
    },
    cancel: () => reader.cancel(),
  };
}
