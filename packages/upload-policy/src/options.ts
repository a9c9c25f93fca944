import { callback, type OptionRules, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import type { FastifyRequest } from 'fastify';
import { UploadPolicySetupError } from './errors.js';
import { type CheckedLimits, INSPECTION_DEFAULTS, type InspectionLimits, inspectionRules } from './inspection/index.js';
import { policyRule, UPLOAD_POLICY_DEFAULTS, type UploadPolicy } from './policy/index.js';

/** Options of the plugin. */
export interface UploadPolicyOptions extends InspectionLimits {
  /**
   * The policy: an object, whose missing members have their defaults, and `allowedMimeTypes` the types that belong to
   * `allowedExtensions`; or a function that returns a complete policy. It is called at every upload, so that dynamic
   * parameters fit. A wrong policy from the function refuses the upload with
   * 503. Default: the parameters' defaults.
   */
  readonly policy?: Partial<UploadPolicy> | (() => UploadPolicy | Promise<UploadPolicy>);
  /** The largest number of text fields in addition to the file, 0 to 100. Default 16. */
  readonly maxFields?: number;
  /** The longest text of a field, in bytes, 1 to 65 536. Default 4096. */
  readonly maxFieldBytes?: number;
  /**
   * The maximum number of concurrent uploads of an uploader in this process, 1 to 10 000. Further ones are refused with
   * 429 before they are read. Default 64.
   */
  readonly maxUploadsPerUploader?: number;
  /**
   * Returns the name under which concurrent uploads are counted, as a text that is not empty, such as the principal's
   * id or the client's address. An error that it throws refuses the upload; another value refuses it as a setup error.
   * Default: `request.ip`, or `unknown` if the connection has no address (a Unix socket).
   */
  readonly uploaderOf?: (request: FastifyRequest) => string;
  /**
   * The scope of `fastify.uploadPolicy`: the whole application (`app`), or the scope in which the plugin is registered
   * (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
}

/** The uploader if the connection has no address: at a Unix socket, or after the client has disconnected. */
const UNKNOWN_ADDRESS = 'unknown';

/** The defaults of {@link UploadPolicyOptions}. */
export const UPLOAD_POLICY_OPTION_DEFAULTS = {
  ...INSPECTION_DEFAULTS,
  policy: UPLOAD_POLICY_DEFAULTS,
  maxFields: 16,
  maxFieldBytes: 4096,
  maxUploadsPerUploader: 64,
  uploaderOf: ({ ip }: FastifyRequest): string => ip || UNKNOWN_ADDRESS,
  scope: 'app',
} as const satisfies Required<UploadPolicyOptions>;

type PolicyOption = UploadPolicy | (() => UploadPolicy | Promise<UploadPolicy>);

/** Validated options. */
export interface CheckedOptions extends CheckedLimits {
  readonly policy: PolicyOption;
  readonly maxFields: number;
  readonly maxFieldBytes: number;
  readonly maxUploadsPerUploader: number;
  readonly uploaderOf: (request: FastifyRequest) => string;
  readonly scope: PluginScope;
}

const rules: OptionRules<CheckedOptions> = {
  ...inspectionRules,
  policy: option<PolicyOption>({
    meaning: 'an object, or a function that returns one',
    members: policyRule.members ?? [],
    accepts: (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
    faults: (value: unknown, name) => (typeof value === 'function' ? [] : policyRule.faults(value, name)),
    read: (value: unknown) => (typeof value === 'function' ? (value as () => UploadPolicy) : policyRule.read(value)),
    default: UPLOAD_POLICY_OPTION_DEFAULTS.policy,
  }),
  maxFields: wholeNumber({ min: 0, max: 100, unit: 'fields', default: UPLOAD_POLICY_OPTION_DEFAULTS.maxFields }),
  maxFieldBytes: wholeNumber({
    min: 1,
    max: 65_536,
    unit: 'bytes',
    default: UPLOAD_POLICY_OPTION_DEFAULTS.maxFieldBytes,
  }),
  maxUploadsPerUploader: wholeNumber({
    min: 1,
    max: 10_000,
    unit: 'uploads',
    default: UPLOAD_POLICY_OPTION_DEFAULTS.maxUploadsPerUploader,
  }),
  uploaderOf: callback({
    that: 'takes a request and returns a text that names its uploader',
    default: UPLOAD_POLICY_OPTION_DEFAULTS.uploaderOf,
  }),
  scope: scopeRule,
};

/** @throws UploadPolicySetupError with every fault */
export function readUploadPolicyOptions(given: UploadPolicyOptions): CheckedOptions {
  return readOptions<CheckedOptions>(
    { subject: 'upload-policy', SetupError: UploadPolicySetupError, isPlugin: true },
    given,
    rules,
  );
}
