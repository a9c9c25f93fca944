import { ARCHIVE_LIMIT_DEFAULTS, ARCHIVE_LIMIT_RANGES, type ArchiveLimits } from './archives/index.js';
import { UploadPolicySetupError } from './errors.js';
import { INSPECTION_DEFAULTS, type InspectionLimits } from './inspection/index.js';
import { UPLOAD_POLICY_DEFAULTS, type UploadPolicy, uploadPolicyFaults } from './policy/index.js';

/** Options of the plugin. */
export interface UploadPolicyOptions extends InspectionLimits {
  /**
   * The rules: an object, in which what is missing has its default; or a function that yields all of them and is asked at
   * every upload, so that dynamic parameters fit. What a function yields is checked, and 503 if it is wrong. Default:
   * the parameters' defaults. Requirement UPL-1.
   */
  readonly policy?: Partial<UploadPolicy> | (() => UploadPolicy | Promise<UploadPolicy>);
  /** How many text fields a form may have beside its file, 0 to 100. Default 16. */
  readonly maxFields?: number;
  /** How long the text of a field may be, in bytes, 1 to 65 536. Default 4096. */
  readonly maxFieldBytes?: number;
}

/** The defaults of {@link UploadPolicyOptions}. */
export const UPLOAD_POLICY_OPTION_DEFAULTS = {
  ...INSPECTION_DEFAULTS,
  policy: UPLOAD_POLICY_DEFAULTS,
  maxFields: 16,
  maxFieldBytes: 4096,
} as const satisfies Required<UploadPolicyOptions>;

/** Options with nothing left to doubt. */
export interface CheckedOptions {
  readonly policy: UploadPolicy | (() => UploadPolicy | Promise<UploadPolicy>);
  readonly archive: ArchiveLimits;
  readonly textEncodings: readonly string[];
  readonly maxFields: number;
  readonly maxFieldBytes: number;
}

/** @throws UploadPolicySetupError naming every fault at once. */
export function checkOptions(given: UploadPolicyOptions): CheckedOptions {
  const options = { ...UPLOAD_POLICY_OPTION_DEFAULTS, ...withoutUndefined(given) };
  const policy =
    typeof options.policy === 'function'
      ? options.policy
      : { ...UPLOAD_POLICY_DEFAULTS, ...withoutUndefined(options.policy) };
  const archive = { ...ARCHIVE_LIMIT_DEFAULTS, ...withoutUndefined(options.archive) };
  const faults = [
    ...unknownNames(given, ['prefix', ...Object.keys(UPLOAD_POLICY_OPTION_DEFAULTS)]),
    ...wholeNumberFault('maxFields', options.maxFields, 0, 100),
    ...wholeNumberFault('maxFieldBytes', options.maxFieldBytes, 1, 65_536),
    ...encodingFaults(options.textEncodings),
    ...archiveFaults(options.archive, archive),
    ...policyFaults(options.policy, policy),
  ];
  if (faults.length > 0) throw new UploadPolicySetupError(faults.join('; '));
  const { textEncodings, maxFields, maxFieldBytes } = options;
  return { policy, archive, textEncodings: [...textEncodings], maxFields, maxFieldBytes };
}

function policyFaults(given: unknown, policy: CheckedOptions['policy']): string[] {
  if (typeof policy === 'function') return [];
  if (typeof given !== 'object' || given === null) return ['policy must be an object, or a function that yields one'];
  const unknown = unknownNames(given, Object.keys(UPLOAD_POLICY_DEFAULTS)).map((fault) => `policy.${fault}`);
  return [...unknown, ...uploadPolicyFaults(policy)];
}

function archiveFaults(given: unknown, archive: ArchiveLimits): string[] {
  if (typeof given !== 'object' || given === null) return ['archive must be an object'];
  const ranges = Object.entries(ARCHIVE_LIMIT_RANGES) as [keyof ArchiveLimits, readonly [number, number]][];
  return [
    ...unknownNames(given, Object.keys(ARCHIVE_LIMIT_DEFAULTS)).map((fault) => `archive.${fault}`),
    ...ranges.flatMap(([name, [least, most]]) => wholeNumberFault(`archive.${name}`, archive[name], least, most)),
  ];
}

function encodingFaults(encodings: unknown): string[] {
  const isRight =
    Array.isArray(encodings) && encodings.length > 0 && encodings.every((name) => typeof name === 'string');
  if (!isRight) return ["textEncodings must be a list of one or more encodings, such as ['utf-8']"];
  return encodings.flatMap((name: string) =>
    isEncoding(name) ? [] : [`textEncodings holds ${JSON.stringify(name)}, which this Node.js can't decode`],
  );
}

function isEncoding(name: string): boolean {
  try {
    // By its own name, as it is served: an alias of it would be a second word for one thing.
    return new TextDecoder(name, { fatal: true }).encoding === name;
  } catch {
    return false;
  }
}

function wholeNumberFault(name: string, value: unknown, least: number, most: number): string[] {
  const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
  return isRight ? [] : [`${name} must be a whole number from ${least} to ${most}`];
}

/** A misspelt name would leave its option at the default, unseen. */
function unknownNames(given: object | undefined, known: readonly string[]): string[] {
  return Object.keys(given ?? {})
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is no option; there are ${known.join(', ')}`);
}

/** An option that is there as undefined is one that wasn't given. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T;
}
