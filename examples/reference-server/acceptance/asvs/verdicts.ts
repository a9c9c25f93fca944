import type { CheckReport, Outcome, RunReport } from '../run-checks.js';
import { type AsvsClaim, type Sighting, sightingsOf } from './claim.js';

/**
 * What a run says of a claim. `seen`: each of its checks passed. `broken`: one found a hole. `partly seen`: some
 * passed, and the others did not run. `not seen`: none ran, or it can't be seen from outside.
 */
export type Verdict = 'seen' | 'partly seen' | 'broken' | 'not seen';

/** What one check, or a part of it, says. */
export interface Sight {
  readonly sighting: Sighting;
  readonly outcome: Outcome;
}

/** The outcome for the claims that rest on it. A hole in one part leaves the others as they are. */
export function sightOf(sighting: Sighting, { checks }: Pick<RunReport, 'checks'>): Sight {
  const [id, part] = sighting.split('#');
  const report = checks.find((check) => check.id === id);
  return { sighting, outcome: report === undefined ? 'not-run' : outcomeOf(report, part) };
}

function outcomeOf({ outcome, holeParts, skipped, reason }: CheckReport, part: string | undefined): Outcome {
  if (outcome === 'passed' && skipped.some((left) => part === undefined || left === part)) return 'not-applicable';
  if (outcome !== 'hole' || part === undefined) return outcome;
  if (holeParts.some((broken) => broken === null || broken === part)) return 'hole';
  if (skipped.includes(part)) return 'not-applicable';
  // It broke off after a hole elsewhere, perhaps before it came to this part.
  return reason === null ? 'passed' : 'not-run';
}

export function verdictOf(claim: AsvsClaim, report: Pick<RunReport, 'checks'>): Verdict {
  const outcomes = sightingsOf(claim).map((sighting) => sightOf(sighting, report).outcome);
  if (outcomes.includes('hole')) return 'broken';
  const passed = outcomes.filter((outcome) => outcome === 'passed').length;
  if (passed === 0) return 'not seen';
  return passed === outcomes.length ? 'seen' : 'partly seen';
}
