/**
 * The error of a bad set-up: options, routes or registrations that can't work. It lists all faults, and no values,
 * because a value may be a secret. Each package derives its own class, with its own `code`.
 */
export class SetupError extends Error {
  /** Stable, upper snake case, such as `REPLAY_GUARD_SETUP_INVALID`. */
  readonly code: string;
  /** Fastify answers 500 if such an error is thrown while a request is served. */
  readonly statusCode = 500;
  /** The subject of the set-up: a package, such as `replay-guard`, or a function, such as `createMemoryStore`. */
  readonly subject: string;
  /** One sentence for each fault. It begins with the name of the option and says what to give instead. */
  readonly faults: readonly string[];

  constructor(code: string, subject: string, faults: readonly string[]) {
    super(
      faults.length === 1 ? `${subject}: ${faults[0]}` : `${subject}:\n${faults.map((it) => `- ${it}`).join('\n')}`,
    );
    this.name = new.target.name;
    this.code = code;
    this.subject = subject;
    this.faults = faults;
  }
}

/** A package's own error class. It takes the subject and the faults. */
export type SetupErrorClass = new (subject: string, faults: readonly string[]) => SetupError;
