/**
 * The configuration is invalid, or can't be used here. The message lists every fault with the name of its variable,
 * never with a secret. A single one is one line.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(
      faults.length === 1
        ? faults[0]
        : `The configuration has ${faults.length} faults:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
      options,
    );
    this.faults = faults;
  }
}
