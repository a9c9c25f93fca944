import { Readable } from 'node:stream';
import {
  BYTES_PER_MEGABYTE,
  explainUpload,
  type InspectionLimits,
  lingerAfterAnswer,
  type UploadExplanation,
  type UploadPolicy,
  UploadTooLargeError,
  uploadPolicyFaults,
  uploadPolicyParameters,
} from '@sallyport/upload-policy';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { closedText } from '../../http/closed-text.js';
import { QueryInvalidError } from '../../http/errors.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';

/** Values to try in place of the current ones, named after the tails of the parameter keys. */
const trials = {
  maxSizeMb: Type.Optional(Type.Integer()),
  validationEnabled: Type.Optional(Type.Boolean()),
  allowedExtensions: Type.Optional(Type.String()),
  allowedMimeTypes: Type.Optional(Type.String()),
};

const simulationQuery = Type.Object(
  { fileName: Type.String({ minLength: 1, maxLength: 1024 }), ...trials },
  { additionalProperties: false },
);

const reason = Type.Union([Type.String(), Type.Null()]);

const simulation = Type.Object(
  {
    accepted: Type.Boolean(),
    /** The reason of the refusal. Null if the file would be stored. */
    reason,
    /** The type with which the file would be served. Null if it would not be stored. */
    mediaType: Type.Union([Type.String(), Type.Null()]),
    rules: Type.Array(
      Type.Object({
        rule: closedText('nonEmpty', 'size', 'extension', 'mediaType', 'header', 'archive', 'office', 'text'),
        outcome: closedText('passed', 'refused', 'notApplicable'),
        /** Whether the current policy enforces this rule. */
        enforced: Type.Boolean(),
        reason,
        detail: reason,
      }),
    ),
  },
  { title: 'UploadSimulation' },
);

/** Upper bound of the size that can be tried. Without it a simulation could fill the disk. */
const MAX_TRIED_MEGABYTES = 100;

/** The type that browsers send for a file of unknown type. */
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * `POST /admin/storage/simulate`: checks a file against every upload rule. The body is the file itself, its
 * `Content-Type` the one that a client would declare in the form. Nothing is stored.
 */
export async function uploadSimulationRoute(app: App, limits: InspectionLimits): Promise<void> {
  // In this scope a body of any type is a file.
  await app.register(async function simulationScope(scope: FastifyInstance) {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    simulate(scope as App, limits);
  });
}

function simulate(app: App, limits: InspectionLimits): void {
  app.post(
    '/admin/storage/simulate',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:storage:simulate',
        audit: { action: 'upload.simulate', changes: 'nothing' },
        bypassEnvelope: true,
        // Nothing is stored.
        safeMode: 'served',
      },
      schema: { querystring: simulationQuery, response: { 200: oneOf(simulation) } },
      onResponse: async (request) => lingerAfterAnswer(request.raw),
    },
    async function simulateUpload(request) {
      const { fileName, ...trial } = request.query;
      const inForce = await app.systemParameters.read(uploadPolicyParameters);
      const policy: UploadPolicy = { ...inForce, ...trial };
      const faults = uploadPolicyFaults(policy);
      if (faults.length > 0) throw new QueryInvalidError(faults.map((detail) => ({ pointer: '', detail })));

      const mediaType = request.headers['content-type'] ?? UNKNOWN_TYPE;
      const largest = Math.max(Math.min(policy.maxSizeMb, MAX_TRIED_MEGABYTES), inForce.maxSizeMb);
      const body = request.body instanceof Readable ? request.body : Readable.from([]);
      const explanation = await app.uploadPolicy.countWhile(request, () =>
        app.storedFiles.examine(upTo(largest, body), (source) =>
          explainUpload({ fileName, mediaType, source }, policy, limits),
        ),
      );
      // The client decided how long its content took.
      await app.confirmStillServed(request);
      return { data: show(explanation) };
    },
  );
}

/** Ends the content once it exceeds the size. The rest of the body stays unread until the answer is sent. */
function upTo(maxSizeMb: number, body: Readable): Readable {
  async function* counted() {
    let bytes = 0;
    try {
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > maxSizeMb * BYTES_PER_MEGABYTE) throw new UploadTooLargeError(maxSizeMb);
        yield chunk;
      }
    } finally {
      body.pause();
    }
  }
  return Readable.from(counted(), { objectMode: false });
}

function show({ verdict, rules }: UploadExplanation) {
  return {
    accepted: verdict.accepted,
    reason: verdict.accepted ? null : verdict.reason,
    mediaType: verdict.accepted ? verdict.mediaType : null,
    rules: rules.map(({ rule, outcome, isEnforced, refusal }) => ({
      rule,
      outcome,
      enforced: isEnforced,
      reason: refusal?.reason ?? null,
      detail: refusal?.detail ?? null,
    })),
  };
}
