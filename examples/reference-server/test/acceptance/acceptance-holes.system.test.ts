import { createMemoryStore } from '@sallyport/ttl-store';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asvsClaims } from '../../acceptance/asvs/claims.js';
import { type Verdict, verdictOf } from '../../acceptance/asvs/verdicts.js';
import { exitStatusOf } from '../../acceptance/report-text.js';
import type { RunReport } from '../../acceptance/run-checks.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { accept, type Target, target, unhurried } from './acceptance-run.js';
import { type PlantedHole, plantedHoles } from './planted-holes.js';
import { answerFirst } from './plants.js';
import { sabotagedControls } from './sabotaged-controls.js';

const holes = [...plantedHoles, ...sabotagedControls];

/** As production has none, which the profile of the tests is not. */
const hideDevelopment = answerFirst(({ url }) => url.startsWith('/dev/'), 404);

const verdicts = (report: RunReport): readonly (readonly [id: string, verdict: Verdict])[] =>
  asvsClaims.map((claim) => [claim.id, verdictOf(claim, report)]);

describe('the acceptance command against copies of this server with a hole', { timeout: 300_000 }, () => {
  let bench: TestBench;
  let server: Target | null = null;
  let honest: RunReport;
  beforeAll(async () => {
    bench = await openTestBench();
    server = await open({});
    honest = await accept(server, [], { isDevelopment: false });
  });
  afterEach(async () => {
    await server?.app.close();
    server = null;
  });
  afterAll(() => bench.close());

  async function open(hole: Partial<PlantedHole>): Promise<Target> {
    const config = bench.config({ ...unhurried, ...hole.environment });
    const { stores, ...rest } = bench.resources(config);
    // The failures of all these runs come from one address: each server counts for itself.
    const own = { ...rest, stores: { ...stores, sessions: createMemoryStore() } };
    const given = hole.resources?.(own) ?? own;
    return target(config, given, (app) => {
      if (!hole.showsDevelopment) hideDevelopment(app);
      hole.plant?.(app, given);
    });
  }

  /** Returns what undoes it: the servers of this file share their database. */
  async function change({ app }: Target, flags: Readonly<Record<string, boolean>>): Promise<() => Promise<void>> {
    const set = (key: string, value: boolean, version: number) => {
      return app.systemParameters.change({ key, value, version, changedBy: 'test' });
    };
    const changed = await Promise.all(Object.entries(flags).map(([key, value]) => set(key, value, 0)));
    return async () => {
      for (const { key, value, version } of changed) await set(key, value !== true, version);
    };
  }

  it('OPS-6 DOC-4 without a hole every check passes that applies here, and sees its claims', async () => {
    const isMissed = ({ outcome }: { outcome: string }) => outcome !== 'passed' && outcome !== 'not-applicable';
    expect(honest.checks.filter(isMissed)).toEqual([]);
    expect(verdicts(honest).filter(([, verdict]) => verdict === 'broken')).toEqual([]);
    const seen = verdicts(honest).filter(([, verdict]) => verdict === 'seen');
    expect(seen.length).toBeGreaterThan(40);
    const broken = holes.flatMap(({ breaks }) => breaks);
    expect(broken.filter((id) => !seen.some(([own]) => own === id))).toEqual([]);
    expect(holes.filter(({ isBrief = false }) => !isBrief)).toHaveLength(20);
  });

  for (const planted of holes) {
    const { hole, check, names, breaks, isBrief = false } = planted;
    const claims = breaks.length === 0 ? 'no claim' : `${breaks.join(', ')} alone`;
    it(`OPS-6 DOC-4 ${check} finds ${hole}, which breaks ${claims}, and leaves nothing behind`, async () => {
      server = await open(planted);
      const undo = await change(server, planted.parameters ?? {});
      const report = await accept(server, isBrief ? [check] : [], { isDevelopment: false });
      await undo();
      expect(report.checks.flatMap(({ holes }) => holes)).toContainEqual(expect.stringMatching(names));
      expect(exitStatusOf(report)).toBe(1);
      expect(report.leftBehind).toEqual([]);
      const before = new Map(isBrief ? [] : verdicts(honest));
      const changed = verdicts(report).filter(([id, verdict]) => {
        return isBrief ? verdict === 'broken' : before.get(id) !== verdict;
      });
      expect(changed).toEqual(breaks.map((id) => [id, 'broken']));
    });
  }
});
