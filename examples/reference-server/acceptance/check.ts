import type { Deployment } from './deployment.js';
import type { HeldAccount, SignIns } from './sign-ins.js';
import type { Temporaries } from './temporaries.js';

/** One property that a deployment must have. Plain data, so that a deployment can add its own checks. */
export interface AcceptanceCheck {
  /** Subject and name, such as `tokens.ends`: what `--only` takes. */
  readonly id: string;
  /** What a pass proves. */
  readonly title: string;
  /** Names of its parts, where a hole may be in one part and not in the others. */
  readonly parts?: readonly string[];
  /**
   * Runs the check. It passes if it resolves and has reported no hole. If it rejects, it could not be run, and never
   * counts as passed.
   */
  run(context: CheckContext): Promise<void>;
}

/** What a check works with. */
export interface CheckContext {
  readonly deployment: Deployment;
  /** The administrator whose token was given. */
  readonly operator: Operator;
  readonly signIns: SignIns;
  /** What the check creates. It is deleted when the check ends, also after an error. */
  readonly temporaries: Temporaries;
  /** A signed-in administrator without permissions, created once for the whole run. */
  bystander(): Promise<HeldAccount>;
  /** The prefix of every name that the run creates. */
  readonly prefix: string;
  /** The deployment is a development server, so its development routes are expected. */
  readonly isDevelopment: boolean;
  /** Notes what was done and found. */
  did(what: string): void;
  /**
   * Reports a hole. The check continues, because there may be more.
   *
   * @param part the part of the check that it is in. Without one, the whole check says nothing any more.
   */
  hole(what: string, part?: string): void;
  /** Leaves a part of the check out, which then says nothing, though the check may pass. */
  skip(part: string): void;
  /** Waits, unless the run is interrupted. */
  sleep(millis: number): Promise<void>;
}

/** The administrator whose token was given. */
export interface Operator {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}
