/** A test of the release: its file in the repository, and how its name begins. */
export type TestName = `${string}.ts: ${string}`;

/** What shows a claim on a running deployment: the id of a check, or `check#part`. */
export type Sighting = string;

interface Item {
  /** The id in OWASP ASVS 5.0.0. */
  readonly id: `V${number}.${number}.${number}`;
  readonly level: 1 | 2;
  /** What the item is about, in words of this project: the sentences of the standard have another licence. */
  readonly subject: string;
}

/** Tests of the release prove it. */
export interface TestedClaim extends Item {
  readonly status: 'tested';
  readonly tests: readonly TestName[];
  /** Checks of the acceptance command that see it on a deployment. */
  readonly seenBy?: readonly Sighting[];
  /** What the tests do not say. */
  readonly note?: string;
}

/** The release cannot do it alone. */
export interface DeployerClaim extends Item {
  readonly status: 'deployer';
  readonly duty: string;
  /** Findings of preflight that tell a neglected duty. */
  readonly preflight?: readonly string[];
  /** Settings or parameters that the duty is about. */
  readonly settings?: readonly string[];
  readonly tests?: readonly TestName[];
  readonly seenBy?: readonly Sighting[];
}

/** The release does otherwise. */
export interface Deviation extends Item {
  readonly status: 'deviation';
  readonly why: string;
  /** What it does. */
  readonly instead: string;
  /** Tests of what it does. */
  readonly tests?: readonly TestName[];
  /** Checks that see what it does. */
  readonly seenBy?: readonly Sighting[];
}

/** The release has nothing that the item is about. */
export interface NotApplicable extends Item {
  readonly status: 'not applicable';
  readonly why: string;
}

/** An item of the standard, and what this release says of it. */
export type AsvsClaim = TestedClaim | DeployerClaim | Deviation | NotApplicable;

export type ClaimStatus = AsvsClaim['status'];

export function sightingsOf(claim: AsvsClaim): readonly Sighting[] {
  return 'seenBy' in claim ? (claim.seenBy ?? []) : [];
}

export function testsOf(claim: AsvsClaim): readonly TestName[] {
  return 'tests' in claim ? (claim.tests ?? []) : [];
}
