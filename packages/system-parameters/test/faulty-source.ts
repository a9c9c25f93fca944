import type { ParameterSource } from '../src/index.js';

/** A source that can be made to fail or to hang, and counts its reads. */
export function createFaultySource(source: ParameterSource) {
  const state = { mode: 'there' as 'there' | 'away' | 'hanging', reads: 0, running: 0, mostRunning: 0 };

  async function through<Result>(call: () => Promise<Result>): Promise<Result> {
    if (state.mode === 'away') throw new Error('connect ECONNREFUSED');
    if (state.mode === 'hanging') return new Promise<never>(() => {});
    return call();
  }

  return {
    state,
    declare: (parameters) => through(() => source.declare(parameters)),
    async read(keys) {
      state.reads += 1;
      state.running += 1;
      state.mostRunning = Math.max(state.mostRunning, state.running);
      try {
        return await through(() => source.read(keys));
      } finally {
        state.running -= 1;
      }
    },
    write: (write) => through(() => source.write(write)),
  } satisfies ParameterSource & { state: typeof state };
}
