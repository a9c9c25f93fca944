/** An answer as a transport received it. */
export interface Answer {
  readonly status: number;
  /** The value of a header, by its name in lower case, or null. */
  readonly headers: { get(name: string): string | null };
  /** The bytes of the body. The application can still read it afterwards. */
  bytes(): Promise<Uint8Array>;
}
