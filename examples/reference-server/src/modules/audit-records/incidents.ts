import type { AuditGap, AuditIncident } from '@sallyport/audit-log/postgres';
import type { App } from '../../http/module.js';

/**
 * The actions of the records. They are security events, which the deliveries of the audit log mark as such (AUD-13).
 */
const ACTIONS = {
  failover: 'security.database-failover',
  'rows-lost': 'security.audit-rows-lost',
  'loss-accepted': 'security.audit-loss-accepted',
} as const satisfies Record<AuditIncident['kind'], string>;

/** The number of rows in the gaps. */
export function countRows(gaps: readonly AuditGap[]): number {
  return gaps.reduce((rows, { from, to }) => rows + to - from + 1, 0);
}

/**
 * Makes audit records when another database server took over, when it lost rows, and when an operator accepted the loss
 * (AUD-15).
 */
export function recordIncident(app: App, incident: AuditIncident): void {
  const action = ACTIONS[incident.kind];
  app.log[incident.kind === 'rows-lost' ? 'error' : 'warn']({ incident }, action);
  const parameters =
    incident.kind === 'failover'
      ? { before: { ...incident.before }, after: { ...incident.after } }
      : { ...incident, gaps: incident.gaps.map((gap) => ({ ...gap })) };
  app.auditLog.record({ action, parameters }).catch((err) => app.log.error({ err }, action));
}
