import { type OptionRule, option } from '@sallyport/plugin-kit/options';
import { SessionPurposeError } from '../errors.js';

/** A purpose of sessions that may not do everything yet. */
export interface SessionPurpose {
  /** The age at which such a session expires, whether it is used or not, in seconds, 60 to 3600. */
  readonly lifetimeSeconds: number;
  /**
   * The `code` of the 403 on routes that don't serve the purpose, such as `SECOND_FACTOR_REQUIRED`. Default
   * `SESSION_PURPOSE_REFUSED`.
   */
  readonly refusal?: string | undefined;
}

/** The purposes of sessions, by name. */
export type SessionPurposes = Readonly<Record<string, SessionPurpose>>;

/** Names as in JSON and URLs. */
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

const MIN_SECONDS = 60;

/** Such a session is a step of a sign-in. An end of all sessions is kept for the lifetime of full ones at least. */
const MAX_SECONDS = 3600;

export const sessionPurposesRule: OptionRule<SessionPurposes> = option<SessionPurposes>({
  meaning: 'an object from names to { lifetimeSeconds, refusal }',
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  faults: (purposes: object, name) =>
    Object.entries(purposes).flatMap(([purpose, given]) => purposeFaults(`${name}.${purpose}`, purpose, given)),
  default: {},
});

function purposeFaults(path: string, purpose: string, given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [`${path} must be an object with lifetimeSeconds`];
  const { lifetimeSeconds, refusal, ...unknown } = given as Record<string, unknown>;
  const isTime = Number.isSafeInteger(lifetimeSeconds) && Number(lifetimeSeconds) >= MIN_SECONDS;
  return [
    ...(NAME.test(purpose) ? [] : [`${path} is not a name: 1 to 32 of a-z 0-9 -, a letter first`]),
    ...(isTime && Number(lifetimeSeconds) <= MAX_SECONDS
      ? []
      : [`${path}.lifetimeSeconds must be a whole number of seconds from ${MIN_SECONDS} to ${MAX_SECONDS}`]),
    ...(refusal === undefined || (typeof refusal === 'string' && CODE.test(refusal))
      ? []
      : [`${path}.refusal must be a code such as SECOND_FACTOR_REQUIRED`]),
    ...Object.keys(unknown).map((member) => `${path}.${member} is not known`),
  ];
}

/** @throws TypeError for a purpose that is not declared */
export function purposeLifetimeMillis(purposes: SessionPurposes, purpose: string): number {
  const declared = Object.hasOwn(purposes, purpose) ? purposes[purpose] : undefined;
  if (declared !== undefined) return declared.lifetimeSeconds * 1000;
  throw new TypeError(`purpose must be one of the option purposes: ${Object.keys(purposes).join(', ')}`);
}

/**
 * @param served the purposes that may pass
 * @throws SessionPurposeError if the session has another one, also one that is no longer declared
 */
export function assertPurpose(
  purposes: SessionPurposes,
  { purpose }: { readonly purpose?: string },
  served: readonly string[],
): void {
  if (purpose === undefined || served.includes(purpose)) return;
  throw new SessionPurposeError(Object.hasOwn(purposes, purpose) ? purposes[purpose]?.refusal : undefined);
}
