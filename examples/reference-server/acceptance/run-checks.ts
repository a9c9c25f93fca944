import { inShort } from './answer.js';
import type { AcceptanceCheck, CheckContext, Operator } from './check.js';
import { createDeployment, type Deployment } from './deployment.js';
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
 * Runs the checks one after the other, and deletes what they created.
 *
 * @throws NotRunError if no check can run: there is no answer, or the token is refused
 */
export async function runChecks(options: RunOptions): Promise<RunReport> {
  const { url, token, checks, signal, onReport } = options;
  const shared = { url, bypass: options.bypass ?? [], ...(options.onWait && { onWait: options.onWait }) };
  const interruptibleSleep = (millis: number) => options.sleep(millis, signal);
  const deployment = createDeployment({ ...shared, signal, sleep: interruptibleSleep });
  const cleaning = createDeployment({ ...shared, sleep: options.sleep });
  const operator = await readOperator(deployment, token);
  const signIns = createSignIns(deployment, options.readCaptcha);
  const prefix = newPrefix();
  const temporaries = () => createTemporaries({ deployment, cleaning, token, prefix, signIns });

  const ofRun = temporaries();
  let wasUsed = false;
  let bystander: Promise<HeldAccount> | null = null;
  const reports: CheckReport[] = [];
  const leftBehind: string[] = [];
  try {
    for (const check of checks) {
      if (signal.aborted) break;
      const own = temporaries();
      const report = await runCheck(check, signal, {
        deployment,
        operator,
        signIns,
        prefix,
        temporaries: own,
        isDevelopment: options.isDevelopment ?? false,
        sleep: interruptibleSleep,
        bystander() {
          bystander ??= ofRun.signedIn([]);
          return bystander;
        },
      });
      leftBehind.push(...(await own.clear()));
      wasUsed ||= own.wasUsed();
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
async function sweep(cleaning: Deployment, token: string, prefix: string): Promise<string[]> {
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
