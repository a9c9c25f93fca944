import type { TtlStore } from '@sallyport/ttl-store';
import { Type } from 'typebox';
import { closedText } from '../../http/closed-text.js';
import { NotFoundError } from '../../http/errors.js';
import { chooseLanguage } from '../../http/language.js';
import { idParams, oneOf, readId } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { givenCheckpoint, readGivenCheckpoint } from './given-checkpoint.js';
import { createVerifications, type Verification, type VerifyLog } from './verification.js';

export interface VerificationRouteDependencies {
  readonly stores: { readonly sessions: TtlStore };
  /** Verifies the whole log with the keys and checkpoints of the server. */
  readonly verifyAuditLog: VerifyLog;
  /** The public keys of the server's own checkpoints. */
  readonly checkpointPublicKeys: () => Promise<readonly string[]>;
}

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

const finding = Type.Object(
  {
    kind: closedText(
      'changed',
      'checkpoint',
      'deleted',
      'head',
      'inserted',
      'pending',
      'reordered',
      'replaced',
      'truncated',
    ),
    sequence: Type.Integer(),
    lastSequence: Type.Integer(),
    id: Type.Union([Type.String(), Type.Null()]),
    detail: Type.String(),
  },
  { title: 'AuditFinding' },
);

const verification = Type.Object(
  {
    id: Type.String(),
    state: Type.Union([
      Type.Literal('running'),
      Type.Literal('finished'),
      Type.Literal('failed'),
      Type.Literal('interrupted'),
    ]),
    startedAt: Type.Integer(),
    startedBy: Type.String(),
    endedAt: nullableInteger,
    rows: Type.Integer(),
    percent: Type.Integer({ minimum: 0, maximum: 100 }),
    intact: Type.Union([Type.Boolean(), Type.Null()]),
    findingCount: Type.Integer(),
    findings: Type.Array(finding),
    coveredTo: nullableInteger,
    checkpoints: nullableInteger,
    given: Type.Union([
      Type.Object({
        origin: Type.String(),
        sequence: Type.Integer(),
        at: Type.String(),
        ownKey: Type.Optional(Type.Boolean()),
      }),
      Type.Null(),
    ]),
  },
  { title: 'AuditVerification' },
);

const PERMISSION = 'api:admin:audit-records:verify';

/** `POST /admin/audit-records/verify` and `GET /admin/audit-records/verifications/:id` (API-4). */
export async function verificationRoutes(
  app: App,
  { stores, verifyAuditLog, checkpointPublicKeys }: VerificationRouteDependencies,
): Promise<void> {
  const verifications = createVerifications({
    store: stores.sessions,
    verify: verifyAuditLog,
    log: app.log,
    onFinished: (finished, isBroken) => reportFault(app, finished, isBroken),
  });
  app.addHook('onClose', () => verifications.close());

  app.post(
    '/admin/audit-records/verify',
    {
      config: {
        access: 'admin',
        permission: PERMISSION,
        // The log is read, and the result is forgotten after some days.
        audit: { action: 'audit-record.verify', changes: 'nothing' },
        safeMode: 'served',
      },
      schema: {
        body: Type.Union([
          Type.Null(),
          Type.Object(givenCheckpoint, { title: 'VerifyAuditLog', additionalProperties: false }),
        ]),
        response: { 202: oneOf(verification) },
      },
    },
    async function startVerification(request, reply) {
      const { checkpoint, publicKey } = request.body ?? {};
      const language = chooseLanguage(request.headers['accept-language']);
      const given =
        checkpoint === undefined
          ? null
          : readGivenCheckpoint(checkpoint, { publicKey, ownKeys: await checkpointPublicKeys(), language });
      const started = await verifications.start(`admin:${request.principal!.subject}`, given);
      return reply
        .code(202)
        .header('location', `/admin/audit-records/verifications/${started.id}`)
        .send({ data: show(started) });
    },
  );

  app.get(
    '/admin/audit-records/verifications/:id',
    {
      config: { access: 'admin', permission: PERMISSION, audit: 'audit-verification' },
      schema: { params: idParams, response: { 200: oneOf(verification) } },
    },
    async function readVerification({ params }) {
      const found = await verifications.find(readId(params));
      if (found === null) throw new NotFoundError();
      return { data: show(found) };
    },
  );
}

/** A log that is broken is a security event, which the deliveries of the audit log mark as such (AUD-13). */
function reportFault(app: App, { id, intact, findingCount, startedBy, given }: Verification, isBroken: boolean): void {
  if (intact === true) return;
  app.log.error({ id, findingCount, given }, 'the audit log is not intact');
  // Anybody can make a key and sign anything with it: what only the note of such a key says raises no alarm.
  if (!isBroken) return;
  const event = {
    action: 'security.audit-log-broken',
    actor: startedBy,
    target: id,
    parameters: { findingCount, given },
  };
  app.auditLog.record(event).catch((err) => app.log.error({ err }, event.action));
}

function show(verification: Verification) {
  // Results of an earlier release have none.
  return { ...verification, given: verification.given ?? null, findings: [...verification.findings] };
}
