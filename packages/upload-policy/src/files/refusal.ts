import type { RefusedUpload, UploadRefusalReason } from './verdict.js';

/** How a check deep in a file ends it; caught where the checks begin, and never leaves the engine. */
export class Refusal extends Error {
  readonly reason: UploadRefusalReason;

  constructor(reason: UploadRefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

export function refused(reason: UploadRefusalReason, detail: string): RefusedUpload {
  return { accepted: false, reason, detail };
}
