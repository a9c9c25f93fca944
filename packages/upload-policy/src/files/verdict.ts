/** Why a file is refused; stable, for programs. */
export type UploadRefusalReason =
  | 'EMPTY'
  | 'TOO_LARGE'
  | 'EXTENSION_MISSING'
  | 'EXTENSION_NOT_ALLOWED'
  | 'MEDIA_TYPE_NOT_ALLOWED'
  /** The header is not that of the extension. */
  | 'HEADER_MISMATCH'
  | 'TEXT_INVALID'
  /** Not a ZIP that can be read from end to end, or with bytes in front of or behind it. */
  | 'ARCHIVE_UNREADABLE'
  | 'ARCHIVE_TOO_MANY_ENTRIES'
  /** More comes out of it than the limit, or than its size is a reason for. */
  | 'ARCHIVE_BOMB'
  /** An entry that would be unpacked elsewhere: `..`, an absolute path, a link. */
  | 'ARCHIVE_TRAVERSAL'
  /** Two readers of the archive could see two different contents. */
  | 'ARCHIVE_AMBIGUOUS'
  /** An entry or stream that a genuine file of the extension has is missing, or of another type. */
  | 'OFFICE_PART_MISSING'
  | 'OFFICE_ENTRY_DUPLICATE'
  | 'OFFICE_ENCRYPTED'
  | 'OFFICE_MACROS';

/** A file that may be stored. */
export interface AcceptedUpload {
  readonly accepted: true;
  /** The file's extension, in lower case, without the dot; '' only if validation is off. */
  readonly extension: string;
  /**
   * What it may be served as: the type that was verified, never the client's word. `application/octet-stream` for
   * active content, and for everything that validation, being off, could not have refused. Requirement UPL-7.
   */
  readonly mediaType: string;
  /** Whether every check was passed. False only while validation is off. */
  readonly verified: boolean;
}

/** A file that may not be stored. */
export interface RefusedUpload {
  readonly accepted: false;
  readonly reason: UploadRefusalReason;
  /** A sentence for people. It holds nothing of the file but its extension. */
  readonly detail: string;
}

export type UploadVerdict = AcceptedUpload | RefusedUpload;
