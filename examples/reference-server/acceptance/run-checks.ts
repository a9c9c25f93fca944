import { inShort } from './answer.js';
import { type Attempt, beginAttempt, MAX_TRIES, retryWhileBusy, type ServiceBusyError, type Waiting } from './busy.js';
import type { AcceptanceCheck, CheckContext, Operator } from './check.js';
import { createDeployment, type Deployment, retryCalls } from './deployment.js';
import { NotApplicableError, NotRunError } from './not-run.js';
import { type CaptchaReader, createSignIns, type HeldAccount } from './sign-ins.js';
import { createTemporaries, findLeftBehind, newPrefix, removeLeftBehind } from './temporaries.js';

/** The outcome of a check. Only `passed` proves its property. */
export type Outcome = 'passed' | 'hole' | 'not-run' | 'not-applicable';

export interface CheckReport {
  readonly id: string;
  readonly title: string;
  readonly outcome: Outcome;
  /** What was done and found, in order. */
  readonly did: readonly string[];
  readonly holes: readonly string[];
  /** The part of the check that each of the holes is in, or null for all of it. */
  readonly holeParts: readonly (string | null)[];
  /** The parts of the check that were left out. */
  readonly skipped: readonly string[];
  /** Why it was not run or does not apply, or null. */
  readonly reason: string | null;
  /** When it ended. */
  readonly at: string;
}

export interface RunReport {
  readonly url: string;
  readonly username: string;
  readonly checks: readonly CheckReport[];
  /** What could not be deleted. */
  readonly leftBehind: readonly string[];
  readonly interrupted: boolean;
}

export interface RunOptions {
  readonly url: URL;
  readonly token: string;
  readonly checks: readonly AcceptanceCheck[];
  /** Null: there is no captcha reader. */
  readonly readCaptcha: CaptchaReader | null;
  readonly bypass?: readonly string[];
  readonly isDevelopment?: boolean;
  /** Interrupts the run: the current check ends, and temporary objects are still deleted. */
  readonly signal: AbortSignal;
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>;
  readonly onReport?: (report: CheckReport) => void;
  readonly onWait?: (reason: string) => void;
}

/**
 * Runs the checks one after the other, and deletes what they created. A check that meets 503 runs again, on objects of
 * its own. If it meets 503 each time, it was not run, whatever it found (OPS-13).
 *
 * @throws NotRunError if no check can run: there is no answer, or the token is refused
 * @throws ServiceBusyError if the service is too busy to say whose the token is
 */
export async function runChecks(options: RunOptions): Promise<RunReport> {
  const { url, token, checks, signal, onReport, onWait } = options;
  const shared = { url, bypass: options.bypass ?? [], onWait };
  const waiting: Waiting = { sleep: (millis) => options.sleep(millis, signal), onWait };
  // The checks run one after the other, so that one deployment, with the keys that it has read, is enough for all.
  let attempt: Attempt = beginAttempt(signal);
  const sleep = (millis: number) => options.sleep(millis, attempt.signal);
  const exchange: Attempt['exchange'] = (what, send) => attempt.exchange(what, send);
  const deployment = createDeployment({ ...shared, signal, sleep, exchange });
  const cleaning = retryCalls(createDeployment({ ...shared, sleep: options.sleep }), { sleep: options.sleep, onWait });
  const operator = await retryWhileBusy(() => {
    attempt = beginAttempt(signal);
    return readOperator(deployment, token);
  }, waiting);
  const signIns = createSignIns(deployment, options.readCaptcha);
  const prefix = newPrefix();
  const temporaries = () => createTemporaries({ deployment, cleaning, token, prefix, signIns });

  const ofRun = temporaries();
  let wasUsed = false;
  let held: HeldAccount | null = null;
  const bystander = async () => {
    held ??= await ofRun.signedIn([]);
    return held;
  };
  const reports: CheckReport[] = [];
  const leftBehind: string[] = [];
  try {
    for (const check of checks) {
      if (signal.aborted) break;
      const report = await runPatiently(signal, waiting, async () => {
        attempt = beginAttempt(signal);
        const own = temporaries();
        const report = await runCheck(check, signal, {
          deployment,
          operator,
          signIns,
          prefix,
          temporaries: own,
          isDevelopment: options.isDevelopment ?? false,
          sleep,
          bystander,
        });
        const busy = await attempt.end();
        leftBehind.push(...(await own.clear()));
        wasUsed ||= own.wasUsed();
        return { report, busy };
      });
      reports.push(report);
      onReport?.(report);
    }
  } finally {
    leftBehind.push(...(await ofRun.clear()));
    if (wasUsed || ofRun.wasUsed()) leftBehind.push(...(await sweep(cleaning, token, prefix)));
  }
  const { username } = operator;
  return { url: url.href, username, checks: reports, leftBehind: distinct(leftBehind), interrupted: signal.aborted };
}

/** Runs a check until it meets no 503, a few times at most. */
async function runPatiently(
  signal: AbortSignal,
  waiting: Waiting,
  run: () => Promise<{ readonly report: CheckReport; readonly busy: ServiceBusyError | null }>,
): Promise<CheckReport> {
  const reports: CheckReport[] = [];
  try {
    return await retryWhileBusy(async () => {
      const { report, busy } = await run();
      reports.push(report);
      if (busy !== null) throw busy;
      return report;
    }, waiting);
  } catch (error) {
    const last = reports.at(-1);
    if (last === undefined) throw error;
    const { holes, ...report } = last;
    const did = [...report.did, ...holes.map((hole) => `seen before the 503, and to be looked at again: ${hole}`)];
    const busy = `${(error as Error).message} (run ${reports.length} of at most ${MAX_TRIES})`;
    const reason = signal.aborted ? 'interrupted' : busy;
    return { ...report, outcome: 'not-run', did, holes: [], holeParts: [], reason };
  }
}

async function runCheck(
  check: AcceptanceCheck,
  signal: AbortSignal,
  context: Omit<CheckContext, 'did' | 'hole' | 'skip'>,
): Promise<CheckReport> {
  const did: string[] = [];
  const holes: string[] = [];
  const holeParts: (string | null)[] = [];
  const skipped: string[] = [];
  const report = (outcome: Outcome, reason: string | null = null): CheckReport => {
    const at = new Date().toISOString();
    return { id: check.id, title: check.title, outcome, did, holes, holeParts, skipped, reason, at };
  };
  const hole = (what: string, part: string | null = null) => {
    if (part !== null) assertPart(check, part);
    holes.push(what);
    holeParts.push(part);
  };
  const skip = (part: string) => {
    assertPart(check, part);
    skipped.push(part);
  };
  try {
    await check.run({ ...context, did: (what) => did.push(what), hole, skip });
  } catch (error) {
    const reason = signal.aborted ? 'interrupted' : error instanceof Error ? error.message : String(error);
    // Holes that were found before the error count.
    if (holes.length > 0) return report('hole', reason);
    return report(error instanceof NotApplicableError ? 'not-applicable' : 'not-run', reason);
  }
  return report(holes.length > 0 ? 'hole' : 'passed');
}

function assertPart({ id, parts }: AcceptanceCheck, part: string): void {
  if (!parts?.includes(part)) throw new TypeError(`${id} has no part named ${part}`);
}

/** Deletes what remains of lost answers. Known objects are deleted already. */
async function sweep(cleaning: Pick<Deployment, 'call'>, token: string, prefix: string): Promise<string[]> {
  try {
    return await removeLeftBehind(cleaning, token, await findLeftBehind(cleaning, token, prefix));
  } catch (error) {
    return [`perhaps something named ${prefix}… (${error instanceof Error ? error.message : String(error)})`];
  }
}

async function readOperator(deployment: Deployment, token: string): Promise<Operator> {
  const profile = await deployment.call({ path: '/admin/profile', token });
  if (profile.status !== 200) throw new NotRunError(`the token is not accepted: ${inShort(profile)}`);
  const sessions = await deployment.call({ path: '/admin/sessions?size=200', token });
  const own = sessions.json?.data?.find(({ current }: { current: unknown }) => current === true);
  if (typeof own?.subject !== 'string') throw new NotRunError(`could not read the own session: ${inShort(sessions)}`);
  return { id: own.subject, username: String(profile.json?.data?.username), token };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
