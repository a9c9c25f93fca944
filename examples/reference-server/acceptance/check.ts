import type { Deployment } from './deployment.js';
import type { HeldAccount, SignIns } from './sign-ins.js';
import type { Temporaries } from './temporaries.js';

/** One thing that has to hold of a deployment. Plain data: a deployment's own checks are added as more of them. */
export interface AcceptanceCheck {
  /** Subject and name, such as `tokens.ends`: what `--only` takes. */
  readonly id: string;
  /** What holds where it passes. */
  readonly title: string;
  /**
   * Does it. It passes when it resolves and has named no hole. What rejects, for whatever reason, could not be run, and
   * is never counted as passed.
   */
  run(context: CheckContext): Promise<void>;
}

/** What a check works with. */
export interface CheckContext {
  readonly deployment: Deployment;
  /** The administrator whose token was given. */
  readonly operator: Operator;
  readonly signIns: SignIns;
  /** What the check makes: deleted when it has ended, however it ended. */
  readonly temporaries: Temporaries;
  /** A signed-in administrator without any right, made once for the whole run. */
  bystander(): Promise<HeldAccount>;
  /** Begins every name that the run makes. */
  readonly prefix: string;
  /** The deployment is a development server: its outlets are as they should be. */
  readonly isDevelopment: boolean;
  /** Notes what was done and found. */
  did(what: string): void;
  /** Names a hole. The check goes on: there may be more of them. */
  hole(what: string): void;
  /** Waits, as long as the run isn't interrupted. */
  sleep(millis: number): Promise<void>;
}

/** The administrator whose token was given. */
export interface Operator {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}
