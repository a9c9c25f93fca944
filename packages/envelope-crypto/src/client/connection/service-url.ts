/** The parts of a URL that the client uses, as in the class `URL`. */
export interface ServiceUrl {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  /** Empty for the default port of the scheme. */
  readonly port: string;
  readonly origin: string;
  readonly pathname: string;
  /** With `?`, or empty. */
  readonly search: string;
  /** With `#`, or empty. */
  readonly hash: string;
}

/** Parses an absolute URL. Throws for another text. */
export type ParseUrl = (text: string) => ServiceUrl;
