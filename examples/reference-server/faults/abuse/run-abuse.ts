import type { Finding } from '../observed-run.js';
import { readCpuSeconds } from '../process-resources.js';
import type { Site } from '../scenarios/scenario.js';
import { violationsOf } from './attack.js';
import { type Clock, stepAt } from './clock.js';
import { type HonestUser, sumOf, violationsOfHonest } from './honest.js';
import type { Cast } from './password-cast.js';
import type { AbuseReport } from './results.js';

export interface AbuseRun {
  readonly site: Site;
  readonly cast: Cast;
  readonly clock: Clock;
  readonly minutes: number;
  /** The processes of the nodes. */
  readonly pids: readonly number[];
  /** The messages of the whole run so far. */
  readonly messages: () => number;
  readonly hashSeconds: number;
}

/** How often a run says how far it is, in minutes. */
const TOLD_EVERY = 30;

/** Lets attackers and honest users act step by step, all at once within a step. */
export async function runAbuse(run: AbuseRun): Promise<Finding> {
  const { site, cast, clock, minutes, pids, messages, hashSeconds } = run;
  const cpuSeconds = async () => (await Promise.all(pids.map(readCpuSeconds))).reduce((sum, each) => sum + each, 0);
  const cpuBefore = await cpuSeconds();
  const messagesBefore = messages();
  await welcome(cast.honest, clock);
  for (let minute = 0; minute < minutes; minute += stepAt(minute)) {
    if (minute % TOLD_EVERY === 0) site.say(`minute ${minute} of ${minutes}, ${clock.kind} clock`);
    await Promise.all(
      [...cast.attacks, ...cast.honest].map(async (actor) => {
        await clock.someMoment();
        await actor.minute(minute);
      }),
    );
    await clock.pass(stepAt(minute));
  }
  const report: AbuseReport = {
    clock: clock.kind,
    minutes,
    attacks: cast.attacks.map((attack) => attack.result(minutes)),
    honest: sumOf(cast.honest.map((user) => user.result())),
    operator: {
      messages: messages() - messagesBefore,
      cpuSeconds: (await cpuSeconds()) - cpuBefore,
      hashSeconds,
    },
  };
  return findingOf(site, report);
}

/** Everybody who is honest signs in once, one row after the other: an office doesn't come in the same instant. */
async function welcome(users: readonly HonestUser[], clock: Clock): Promise<void> {
  for (let coming = users; coming.length > 0; ) {
    const later: HonestUser[] = [];
    for (const user of coming) if (await user.arrive()) later.push(user);
    coming = later;
    if (coming.length > 0) await clock.pass(1);
  }
}

function findingOf({ store }: Site, report: AbuseReport): Finding {
  const { attacks, honest, clock, minutes, operator } = report;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    scenario: 'ABUSE',
    store,
    fault: `attackers, ${clock} clock`,
    times: minutes,
    keys: attacks.length,
    attempts: sum(attacks.map(({ requests }) => requests)),
    acknowledged: sum(honest.map(({ signedIn }) => signedIn)),
    submitted: 0,
    unknown: 0,
    slowestMillis: 0,
    rows: sum(attacks.map(({ takeovers }) => takeovers)),
    measured: `${operator.messages} messages, ${Math.round(operator.cpuSeconds)} s of the processor`,
    abuse: report,
    violations: [...attacks.flatMap(violationsOf), ...honest.flatMap(violationsOfHonest)],
  };
}
