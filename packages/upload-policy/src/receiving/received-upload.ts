/** A file that passed. */
export interface ReceivedFile {
  /** What may be shown of the client's name: no path, no control or bidi characters, never empty. Requirement UPL-7. */
  readonly fileName: string;
  /** Lower case, without the dot; '' only if validation is off. */
  readonly extension: string;
  /** What it may be served as; see `AcceptedUpload.mediaType`. Requirement UPL-7. */
  readonly mediaType: string;
  /** Whether every check was passed. False only while validation is off. */
  readonly verified: boolean;
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The texts of the form's other fields, in front of the file and behind it. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A file that was stored. */
export interface ReceivedUpload<Stored = void> extends ReceivedFile {
  /** What the destination's `commit` resolved to. */
  readonly stored: Stored;
}
