import { describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { NonceWorld } from './nonce-world.js';
import { simulate } from './spin.js';

/** Enough for the whole life of an envelope: some eighty steps. */
const MAX_STEPS = 900;

const seeds = [1, 2, 3, 4, 5, 6];

describe.skipIf(lacks('spin')).each([
  { deployment: 'two servers on a shared store', switches: [], isProcess: false },
  { deployment: 'one server with a memory store', switches: ['-DPROCESS'], isProcess: true },
])('the model of nonce retention and $deployment', ({ switches, isProcess }) => {
  it.each(seeds)('REL-13 RPL-2 RPL-3 take the same steps to the same states, in random run %i', async (seed) => {
    const trace = await simulate(switches, seed, MAX_STEPS);
    const world = await NonceWorld.open({ isProcess });
    const followed = [];
    for (const step of trace) followed.push({ ...step, state: await world.take(step) });
    expect(followed).toEqual(trace);
  });

  it('REL-13 accept the envelope at most once, and in some of these runs they do', async () => {
    const runs = await Promise.all(seeds.map((seed) => simulate(switches, seed, MAX_STEPS)));
    const accepted = runs.map((trace) => trace.at(-1)?.state.accepted);
    expect(new Set(accepted)).toEqual(new Set([0, 1]));
  });
});
