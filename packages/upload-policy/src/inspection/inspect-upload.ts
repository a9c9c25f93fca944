import { readOptions } from '@sallyport/plugin-kit/options';
import { readZipArchive } from '../archives/index.js';
import { UploadPolicySetupError } from '../errors.js';
import {
  type AcceptedUpload,
  createPagedSource,
  displayName,
  extensionOf,
  fileKind,
  isActiveContent,
  Refusal,
  type RefusedUpload,
  refused,
  UNKNOWN_MEDIA_TYPE,
  type UploadSource,
  type UploadVerdict,
} from '../files/index.js';
import type { UploadPolicy } from '../policy/index.js';
import { detectHeader } from './file-header.js';
import {
  type CheckedLimits,
  INSPECTION_DEFAULTS,
  type InspectionLimits,
  inspectionRules,
} from './inspection-limits.js';
import { textEncoding } from './text-contents.js';
import { type Inspected, type UploadRule, type UploadRuleName, uploadRules } from './upload-rules.js';

/** A file to inspect. */
export interface UploadCandidate {
  /** The file name that the client sent. */
  readonly fileName: string;
  /** The media type that the client sent. '' without one. */
  readonly mediaType: string;
  readonly source: UploadSource;
}

/** The verdict of one rule on a file. */
export interface RuleVerdict {
  readonly rule: UploadRuleName;
  /** `notApplicable`: the rule applies to other kinds of files. */
  readonly outcome: 'passed' | 'refused' | 'notApplicable';
  /** Whether a refusal counts. While validation is off, only the rules for size and non-empty count. */
  readonly isEnforced: boolean;
  readonly refusal: RefusedUpload | null;
}

/** The verdict on a file, and that of every rule. */
export interface UploadExplanation {
  readonly verdict: UploadVerdict;
  readonly rules: readonly RuleVerdict[];
}

/**
 * The verdict on a file. The first rule that refuses it ends the inspection. It rejects only if the source rejects,
 * never because of the bytes. It keeps some pages of the file and its directory in memory, never the whole file.
 *
 * @example
 * ```ts
 * const bytes = Buffer.from('MZ');
 * const candidate = {
 *   fileName: 'photo.jpg',
 *   mediaType: 'image/jpeg',
 *   source: { size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) },
 * };
 *
 * const verdict = await inspectUpload(candidate, UPLOAD_POLICY_DEFAULTS); // { accepted: false, reason, detail }
 * assert.equal(verdict.accepted ? null : verdict.reason, 'HEADER_MISMATCH');
 * ```
 *
 * @throws UploadPolicySetupError for invalid limits
 */
export async function inspectUpload(
  candidate: UploadCandidate,
  policy: UploadPolicy,
  limits: InspectionLimits = {},
): Promise<UploadVerdict> {
  return inspect(candidate, policy, readLimits('inspectUpload', limits));
}

/** Like `inspectUpload`, with validated limits. */
export async function inspect(
  candidate: UploadCandidate,
  policy: UploadPolicy,
  limits: CheckedLimits,
): Promise<UploadVerdict> {
  const file = inspectedOf(candidate, policy, limits);
  let isVerified = true;
  for (const rule of uploadRules) {
    // While validation is off, a rule refuses nothing, but a file that fails a rule is served as a file of unknown
    // type.
    if (!isVerified && !rule.isAlways) continue;
    const refusal = await refusalBy(rule, file);
    if (refusal === null || refusal === 'notApplicable') continue;
    if (isEnforced(rule, policy)) return refusal;
    isVerified = false;
  }
  return accepted(file, isVerified);
}

/**
 * The verdict of every rule on a file, even after the first refusal. Use it to try out a policy.
 *
 * @example
 * ```ts
 * const { rules } = await explainUpload(candidate, UPLOAD_POLICY_DEFAULTS); // the verdict of every rule
 * assert.deepEqual(
 *   rules.filter(({ refusal }) => refusal !== null).map(({ rule }) => rule),
 *   ['header'],
 * );
 * ```
 *
 * @throws UploadPolicySetupError for invalid limits
 */
export async function explainUpload(
  candidate: UploadCandidate,
  policy: UploadPolicy,
  limits: InspectionLimits = {},
): Promise<UploadExplanation> {
  const file = inspectedOf(candidate, policy, readLimits('explainUpload', limits));
  const rules: RuleVerdict[] = [];
  for (const rule of uploadRules) {
    const refusal = await refusalBy(rule, file);
    rules.push({
      rule: rule.name,
      outcome: refusal === null ? 'passed' : refusal === 'notApplicable' ? refusal : 'refused',
      isEnforced: isEnforced(rule, policy),
      refusal: refusal === 'notApplicable' ? null : refusal,
    });
  }
  const first = rules.find(({ refusal, isEnforced }) => refusal !== null && isEnforced)?.refusal;
  const isVerified = rules.every(({ refusal }) => refusal === null);
  return { verdict: first ?? (await accepted(file, isVerified)), rules };
}

/** The refusal by name and media type alone; null if the bytes must be inspected. */
export async function refusalByName(
  { fileName, mediaType }: Omit<UploadCandidate, 'source'>,
  policy: UploadPolicy,
): Promise<RefusedUpload | null> {
  const source = { size: 0, read: async () => Buffer.alloc(0) };
  const file = inspectedOf({ fileName, mediaType, source }, policy, INSPECTION_DEFAULTS);
  for (const rule of uploadRules.filter(({ name }) => name === 'extension' || name === 'mediaType')) {
    const refusal = isEnforced(rule, policy) ? await refusalBy(rule, file) : null;
    if (refusal !== null && refusal !== 'notApplicable') return refusal;
  }
  return null;
}

function isEnforced(rule: UploadRule, policy: UploadPolicy): boolean {
  return rule.isAlways || policy.validationEnabled;
}

async function refusalBy(rule: UploadRule, file: Inspected): Promise<RefusedUpload | 'notApplicable' | null> {
  try {
    if (!(await rule.applies(file))) return 'notApplicable';
    await rule.check(file);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return refused(error.reason, error.message);
    throw error;
  }
}

function inspectedOf(candidate: UploadCandidate, policy: UploadPolicy, limits: CheckedLimits): Inspected {
  const source = createPagedSource(candidate.source);
  const extension = extensionOf(displayName(candidate.fileName));
  const kind = fileKind(extension);
  const isZipKind = kind.contents === 'opaque' && kind.headers !== null;
  return {
    policy,
    archiveLimits: limits.archive,
    extension,
    clientMediaType: candidate.mediaType,
    source,
    kind,
    header: memoize(() => detectHeader(source, isZipKind)),
    archive: memoize(() => readZipArchive(source, limits.archive)),
    encoding: memoize(() => textEncoding(source, limits.textEncodings)),
  };
}

async function accepted(file: Inspected, isVerified: boolean): Promise<AcceptedUpload> {
  const { extension, kind } = file;
  const charset = isVerified && kind.contents === 'text' ? await file.encoding() : null;
  const mediaType = isVerified ? await verifiedMediaType(file, charset) : UNKNOWN_MEDIA_TYPE;
  return { accepted: true, extension, mediaType, charset, verified: isVerified };
}

async function verifiedMediaType({ kind, header, extension }: Inspected, charset: string | null): Promise<string> {
  if (charset !== null && kind.mediaType.startsWith('text/')) return `${kind.mediaType}; charset=${charset}`;
  if (kind.mediaType !== UNKNOWN_MEDIA_TYPE || kind.headers === null || isActiveContent(extension))
    return kind.mediaType;
  return (await header()).mediaType ?? UNKNOWN_MEDIA_TYPE;
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function readLimits(subject: string, limits: InspectionLimits): CheckedLimits {
  return readOptions<CheckedLimits>({ subject, SetupError: UploadPolicySetupError }, limits, inspectionRules);
}
