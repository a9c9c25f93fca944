import type { AuditGap, AuditIncident } from '@sallyport/audit-log/postgres';
import type { App } from '../../http/module.js';

/** What is recorded: security events, which the deliveries of the audit log mark as such (AUD-13). */
const ACTIONS = {
  failover: 'security.database-failover',
  'rows-lost': 'security.audit-rows-lost',
  'loss-accepted': 'security.audit-loss-accepted',
} as const satisfies Record<AuditIncident['kind'], string>;

/** How many rows the gaps have. */
export function countRows(gaps: readonly AuditGap[]): number {
  return gaps.reduce((rows, { from, to }) => rows + to - from + 1, 0);
}

/** Records that another database server took over, which rows it lost, and that an operator accepted that (AUD-15). */
export function recordIncident(app: App, incident: AuditIncident): void {
  const action = ACTIONS[incident.kind];
  app.log[incident.kind === 'rows-lost' ? 'error' : 'warn']({ incident }, action);
  const parameters =
    incident.kind === 'failover'
      ? { before: { ...incident.before }, after: { ...incident.after } }
      : { ...incident, gaps: incident.gaps.map((gap) => ({ ...gap })) };
  app.auditLog.record({ action, parameters }).catch((err) => app.log.error({ err }, action));
}
