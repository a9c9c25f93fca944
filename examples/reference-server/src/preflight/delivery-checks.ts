import { type AuditTarget, TargetRefusedError } from '@sallyport/audit-log/delivery';
import { ConfigError } from '../config/config.js';
import { openAuditTargets } from '../modules/audit-records/index.js';
import { settingCheck } from './preflight-check.js';

const PROBE_MILLIS = 5000;

/**
 * Checks that the receivers of the audit log answer (AUD-13), by sending an empty batch to each in the same way as the
 * delivery.
 */
export const deliveries = settingCheck({
  id: 'deliveries',
  reads: [
    'audit.syslog.url',
    'audit.syslog.require-close-notify',
    'audit.ndjson.url',
    'audit.ndjson.headers',
    'audit.delivery.ca-file',
    'audit.delivery.cert-file',
    'audit.delivery.key-file',
  ],
  async *run({ config }) {
    const opened = await openAuditTargets(config).catch((error: unknown) => error);
    if (!(opened instanceof Map)) {
      const finding = opened instanceof ConfigError ? opened.faults.join(', and ') : messageOf(opened);
      yield { id: 'deliveries.files', severity: 'error', finding, fix: 'name PEM files that the server may read' };
      return;
    }
    for (const [name, target] of opened as ReadonlyMap<string, AuditTarget>) {
      const failure = await target.send([], AbortSignal.timeout(PROBE_MILLIS)).then(
        () => null,
        (error: unknown) => error,
      );
      // A receiver of NDJSON may refuse an empty body, but it has answered.
      if (failure === null || (failure instanceof TargetRefusedError && failure.isDivisible)) continue;
      yield {
        id: `deliveries.${name}`,
        severity: 'warning',
        finding: `the audit log can not be delivered to the receiver of SERVICE_AUDIT_${name.toUpperCase()}_URL now: ${messageOf(failure)}`,
        fix: 'check its address, certificates and credentials; records wait in the database, and retention keeps them',
      };
    }
  },
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
