import { describe, expect, it } from 'vitest';
import { importMutant, type Mutation } from '../../../scripts/test-mutants.js';
import { lacks } from '../../../scripts/test-needs.js';
import { NonceWorld, type NonceWorldOptions } from './nonce-world.js';
import { findReplay, type TraceStep } from './spin.js';

/** A fault in the model, and the same one in the servers: in a copy of a source file, or in an option. */
interface SeededFault {
  readonly switch: string;
  readonly isProcess?: true;
  readonly mutation?: Mutation;
  readonly clockSkewSeconds?: number;
}

const engine = new URL('../src/replay-guard.ts', import.meta.url);
const plugin = new URL('../src/plugin.ts', import.meta.url);

const faults: readonly SeededFault[] = [
  {
    switch: '-DFAULT_TTL_ALONE',
    mutation: {
      file: engine,
      replace: 'Math.max(replayTtlSeconds * 1000, acceptableMillis)',
      by: 'replayTtlSeconds * 1000',
    },
  },
  // The reference server, whose nodes may be 200 s apart, left the option at its default until ae5aa0b.
  { switch: '-DFAULT_DEFAULT_SKEW', clockSkewSeconds: 60 },
  // This package until the model found it.
  {
    switch: '-DFAULT_STALE_CLAIM',
    mutation: { file: plugin, replace: '!isInTime(envelope, claimedAt)', by: 'false' },
  },
  {
    switch: '-DFAULT_READ_THEN_WRITE',
    mutation: {
      file: engine,
      replace: 'const ask = () => store.setIfAbsent(key, RECORD, retentionMillis(envelope))',
      by: `const ask = async () =>
        (await store.get(key)) === null && (await store.set(key, RECORD, retentionMillis(envelope)), true)`,
    },
  },
  {
    switch: '-DFAULT_OPEN_ON_LOSS',
    mutation: {
      file: plugin,
      replace: 'throw new EnvelopeReplayStoreUnavailableError({ cause });',
      by: "verdict = 'first';",
    },
  },
  {
    switch: '-DFAULT_NO_START_BOUND',
    isProcess: true,
    mutation: { file: plugin, replace: 'fastify.envelopeCrypto.refuseStampedBefore(now());', by: '{}' },
  },
  {
    switch: '-DFAULT_AHEAD',
    isProcess: true,
    mutation: { file: engine, replace: 'envelope.timestamp - envelope.receivedAt : 0', by: '0 : 0' },
  },
];

const real = await import('../src/index.js');
const door = new URL('../src/index.ts', import.meta.url);

async function follow(trace: readonly TraceStep[], options: NonceWorldOptions): Promise<TraceStep[]> {
  const world = await NonceWorld.open(options);
  const followed = [];
  for (const step of trace) followed.push({ ...step, state: await world.take(step) });
  return followed;
}

/** Five to twenty seconds on two cores with other work. */
const timeout = 180_000;

describe.skipIf(lacks('spin'))('the model of nonce retention', { timeout }, () => {
  it('REL-13 RPL-2 RPL-3 accepts no envelope twice, in any state', async () => {
    for (const switches of [[], ['-DPROCESS']]) {
      const { trace, states } = await findReplay(switches);
      expect(trace).toBeNull();
      expect(states).toBeGreaterThan(50_000);
    }
  });

  it('REL-13 needs each of its assumptions', async () => {
    for (const switches of [['-DSTORE_LOSES'], ['-DCLOCKS_DRIFT'], ['-DPROCESS', '-DCLOCK_STEPS_BACK']]) {
      const { trace } = await findReplay(switches);
      // Without them the real servers accept the replay too.
      const followed = await follow(trace ?? [], { isProcess: switches.includes('-DPROCESS') });
      expect(followed).toEqual(trace);
      expect(followed.at(-1)?.state.accepted).toBe(2);
    }
  });

  it('REL-13 RPL-1 RPL-2 RPL-3 finds each seeded fault, in the model and in the code', async () => {
    for (const { switch: fault, isProcess = false, mutation, clockSkewSeconds } of faults) {
      const { trace } = await findReplay([fault, ...(isProcess ? ['-DPROCESS'] : [])]);
      const mutant = mutation && (await importMutant<typeof real>(door, mutation)).replayGuard;
      const faulty = await follow(trace ?? [], {
        isProcess,
        ...(mutant && { plugin: mutant }),
        ...(clockSkewSeconds && { clockSkewSeconds }),
      });
      expect(faulty, fault).toEqual(trace);
      expect(faulty.at(-1)?.state.accepted, fault).toBe(2);
      // The same steps on the real servers. Some traces leave them no envelope to accept.
      const right = await follow(trace ?? [], { isProcess });
      expect(right.at(-1)?.state.accepted, fault).toBeLessThanOrEqual(1);
    }
  });
});
