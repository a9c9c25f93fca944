import { inShort } from './answer.js';
import type { CheckContext } from './check.js';
import { NotRunError } from './not-run.js';

/** This machine's address in the audit log. @throws NotRunError */
export async function ownAddress({
  deployment,
  operator,
}: Pick<CheckContext, 'deployment' | 'operator'>): Promise<string> {
  const { requestId } = await deployment.call({ path: '/admin/profile', token: operator.token });
  const { clientIp } = await recordOf({ deployment, operator }, requestId, 'profile.read');
  if (clientIp === null) throw new NotRunError('the audit log does not say where this machine is');
  return clientIp;
}

/** A record as the audit log shows it. */
export interface ShownRecord {
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly parameters: unknown;
  readonly clientIp: string | null;
  readonly extra: Readonly<Record<string, string | null>>;
}

/** The longest lag of a replica, in milliseconds. */
const LOOKS = [0, 200, 500, 1500] as const;

/** All records of one request. @throws NotRunError if the log cannot be read */
export async function recordsOf(
  { deployment, operator }: Pick<CheckContext, 'deployment' | 'operator'>,
  requestId: string,
): Promise<readonly ShownRecord[]> {
  const path = `/admin/audit-records?requestId=${encodeURIComponent(requestId)}`;
  for (const millis of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, millis));
    const answer = await deployment.call({ path, token: operator.token });
    if (!Array.isArray(answer.json?.data)) throw new NotRunError(`could not read the audit log: ${inShort(answer)}`);
    if (answer.json.data.length > 0) return answer.json.data;
  }
  return [];
}

/** The only record of a request with an action. @throws NotRunError if there is none */
async function recordOf(
  context: Pick<CheckContext, 'deployment' | 'operator'>,
  requestId: string,
  action: string,
): Promise<ShownRecord> {
  const found = (await recordsOf(context, requestId)).find((record) => record.action === action);
  if (found === undefined) throw new NotRunError(`the audit log has no ${action} of request ${requestId}`);
  return found;
}
