import { buffer } from 'node:stream/consumers';

/** Keeps files in memory. */
export function destination() {
  let bytes = Buffer.alloc(0);
  return {
    async write(stream) {
      bytes = await buffer(stream);
      return { size: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) };
    },
    commit: async () => process.stdout.write('STORED\n'),
    discard: async () => {},
  };
}

export const listen = (app) => app.listen({ port: Number(process.env.PORT) });
