import type { AcceptanceCheck } from './check.js';
import { auditChecks } from './checks/audit.js';
import { envelopeChecks } from './checks/envelopes.js';
import { exposureChecks } from './checks/exposure.js';
import { headerChecks } from './checks/headers.js';
import { idempotencyChecks } from './checks/idempotency.js';
import { passwordChecks } from './checks/passwords.js';
import { privilegeChecks } from './checks/privileges.js';
import { proxyChecks } from './checks/proxies.js';
import { signInChecks } from './checks/sign-in.js';
import { tokenChecks } from './checks/tokens.js';
import { uploadChecks } from './checks/uploads.js';

/**
 * Every check, in the order in which they run. The audit log comes first: refusals without a session are recorded up to
 * a limit for each address, and the other checks cause many.
 */
export const acceptanceChecks: readonly AcceptanceCheck[] = [
  ...auditChecks,
  ...uploadChecks,
  ...privilegeChecks,
  ...tokenChecks,
  ...envelopeChecks,
  ...proxyChecks,
  ...signInChecks,
  ...passwordChecks,
  ...idempotencyChecks,
  ...exposureChecks,
  ...headerChecks,
];
