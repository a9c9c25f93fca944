import type { AuditRecord, AuditSink } from '@sallyport/audit-log';
import { EnvelopeExpiredOrReplayedError } from '@sallyport/envelope-crypto';
import { LoginIpRefusedError } from '@sallyport/login-policy';
import { RateLimitedError } from '../../http/errors.js';
import { refusalOf } from '../../http/refusal.js';
import { routedPath } from '../../http/routed-path.js';
import type { FailedSignIn } from './sources.js';

/** The kinds of events that are counted (API-5). None of them carries client input. */
export const ACTIVITY_KINDS = [
  'sign-in.success',
  'sign-in.failure',
  'sign-in.not-allowed',
  'sign-in.lock',
  'envelope.replay',
  'upload.refused',
  'flood.refused',
] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

const { code: EXPIRED_OR_REPLAYED } = new EnvelopeExpiredOrReplayedError(0);
const { code: NOT_ALLOWED } = new LoginIpRefusedError();
const { code: RATE_LIMITED } = refusalOf(RateLimitedError);

/**
 * Returns the sink, which counts sign-ins, locks and refused uploads once their records are stored, also those of a
 * client that does not wait for its answer.
 */
export function countRecords<Sink extends AuditSink>(
  note: (kind: ActivityKind, record: AuditRecord) => void,
  sink: Sink,
): Sink {
  async function append(records: Parameters<AuditSink['append']>[0]): Promise<void> {
    await sink.append(records);
    for (const record of records) {
      const kind = kindOfRecord(record);
      if (kind !== null) note(kind, record);
    }
  }
  // Inherit everything else from the sink, including getters.
  return Object.assign(Object.create(sink), { append });
}

const SECOND_STEP = 'auth.second-factor';

/**
 * The sign-in of the record of a failed one. The number of an app user is masked in it. At the second step the actor is
 * the account.
 */
export function failedSignInOf({ action, actor, target, clientIp, extra }: AuditRecord): FailedSignIn {
  if (action === SECOND_STEP) {
    const [audience, accountId = null] = (actor ?? '').split(':');
    return { audience: audience === 'app' ? 'app' : 'admin', username: null, accountId, clientIp };
  }
  const isApp = routedPath(extra.path ?? '').startsWith('/app/');
  return { audience: isApp ? 'app' : 'admin', username: isApp ? null : target, clientIp };
}

function kindOfRecord({ action, outcome, reason, parameters }: AuditRecord): ActivityKind | null {
  const { pending, step } = ((parameters as { detail?: object } | null)?.detail ?? {}) as Record<string, unknown>;
  if (action === 'auth.lock' || action === 'second-factor.lock') return 'sign-in.lock';
  const isSecondStep = action === SECOND_STEP && step === 'sign-in';
  if (action === 'auth.login' || isSecondStep) {
    // Not a guess: the whitelist refuses before the proof is looked at, also the administrators' own.
    if (reason === NOT_ALLOWED) return 'sign-in.not-allowed';
    // The record of a second step is begun before its outcome is known.
    if (isSecondStep && outcome === 'unknown') return null;
    if (outcome !== 'success') return 'sign-in.failure';
    // A sign-in whose second step is missing is none yet.
    return pending === undefined ? 'sign-in.success' : null;
  }
  return action === 'file.upload' && outcome === 'refused' ? 'upload.refused' : null;
}

/**
 * The kind of a refusal that the audit log does not keep for every client: of unknown ones it has only so many a
 * minute, and no rate limits.
 *
 * @param code that the client receives
 * @param hadEnvelope whether the envelope was opened: the code alone does not distinguish a replay from an expired one
 */
export function kindOfRefusal(code: string, hadEnvelope: boolean): ActivityKind | null {
  if (code === RATE_LIMITED) return 'flood.refused';
  return code === EXPIRED_OR_REPLAYED && hadEnvelope ? 'envelope.replay' : null;
}
