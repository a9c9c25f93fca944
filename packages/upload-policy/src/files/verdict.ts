/** The reason of a refusal. The words are stable, for programs. */
export const UPLOAD_REFUSAL_REASONS = [
  'EMPTY',
  'TOO_LARGE',
  'EXTENSION_MISSING',
  'EXTENSION_NOT_ALLOWED',
  'MEDIA_TYPE_NOT_ALLOWED',
  /** The header does not fit the extension. */
  'HEADER_MISMATCH',
  'TEXT_INVALID',
  /** Not a ZIP that can be read from end to end, or one with bytes before or after it. */
  'ARCHIVE_UNREADABLE',
  'ARCHIVE_TOO_MANY_ENTRIES',
  /** It unpacks to more than the limits allow, or to another size than it declares. */
  'ARCHIVE_BOMB',
  /** An entry whose bytes don't have the CRC-32 that is declared for them. */
  'ARCHIVE_CRC_MISMATCH',
  /** An entry that would be unpacked outside its folder: `..`, an absolute path, a link. */
  'ARCHIVE_TRAVERSAL',
  /** Two readers of the archive could see different contents. */
  'ARCHIVE_AMBIGUOUS',
  /** An entry or stream that every file of the extension has is missing or has another type. */
  'OFFICE_PART_MISSING',
  'OFFICE_ENTRY_DUPLICATE',
  'OFFICE_ENCRYPTED',
  'OFFICE_MACROS',
] as const;

/** One of {@link UPLOAD_REFUSAL_REASONS}. */
export type UploadRefusalReason = (typeof UPLOAD_REFUSAL_REASONS)[number];

/** A file that may be stored. */
export interface AcceptedUpload {
  readonly accepted: true;
  /** In lower case, without the dot; '' only if validation is off. */
  readonly extension: string;
  /**
   * The verified type for serving the file, never the type that the client sent. `application/octet-stream` for active
   * content, and for every file that fails a check while validation is off.
   */
  readonly mediaType: string;
  /**
   * The encoding in which a text is valid, as in `TEXT_ENCODINGS`; it is also the charset of `mediaType`, unless that
   * is `application/octet-stream`. Null for every other file, and for one that isn't verified.
   */
  readonly charset: string | null;
  /** Whether it passed every check. False only while validation is off. */
  readonly verified: boolean;
}

/** A file that may not be stored. */
export interface RefusedUpload {
  readonly accepted: false;
  readonly reason: UploadRefusalReason;
  /** A sentence for people. It contains nothing of the file except its extension. */
  readonly detail: string;
}

export type UploadVerdict = AcceptedUpload | RefusedUpload;

/** Thrown by a check deep in a file. It is caught where the checks start, and never leaves the engine. */
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
