import { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits, readZipArchive } from '../archives/index.js';
import type { AcceptedUpload, RefusedUpload, UploadVerdict } from '../files/index.js';
import {
  createPagedSource,
  displayName,
  extensionOf,
  fileKind,
  isActiveContent,
  Refusal,
  refused,
  UNKNOWN_MEDIA_TYPE,
} from '../files/index.js';
import type { UploadPolicy } from '../policy/index.js';
import type { UploadSource } from '../receiving/index.js';
import { detectHeader } from './file-header.js';
import { textEncoding } from './text-contents.js';
import { type Inspected, type UploadRule, type UploadRuleName, uploadRules } from './upload-rules.js';

/** A file to be judged. */
export interface UploadCandidate {
  /** As the client names it. */
  readonly fileName: string;
  /** As the client names it; '' if it names none. */
  readonly mediaType: string;
  readonly source: UploadSource;
}

/** What of the inspection is no policy of an administrator's. */
export interface InspectionLimits {
  /** What may come out of a ZIP. What is missing has its default. Requirement UPL-4. */
  readonly archive?: Partial<ArchiveLimits>;
  /**
   * Encodings that a text without a byte-order mark may have, tried in this order. Default `['utf-8', 'gb18030']`: what
   * spreadsheets in China write. UTF-8 and UTF-16 with a mark always pass. Requirement UPL-4.
   */
  readonly textEncodings?: readonly string[];
}

/** The defaults of {@link InspectionLimits}. */
export const INSPECTION_DEFAULTS = {
  archive: ARCHIVE_LIMIT_DEFAULTS,
  textEncodings: ['utf-8', 'gb18030'],
} as const satisfies Required<InspectionLimits>;

/** What one rule says of a file. */
export interface RuleVerdict {
  readonly rule: UploadRuleName;
  /** `notApplicable`: the rule is for other kinds of files. */
  readonly outcome: 'passed' | 'refused' | 'notApplicable';
  /** Whether a refusal by it counts: not while validation is off, size and non-empty apart. */
  readonly isEnforced: boolean;
  readonly refusal: RefusedUpload | null;
}

/** Every rule's word, and the verdict that comes of them. */
export interface UploadExplanation {
  readonly verdict: UploadVerdict;
  readonly rules: readonly RuleVerdict[];
}

/**
 * The verdict on a file: the first rule that refuses it ends the inspection. Rejects only if the source does: no bytes
 * make it fail. It holds some pages of the file and its directory, if it has one, never the file. Requirements UPL-2 to UPL-4.
 */
export async function inspectUpload(
  candidate: UploadCandidate,
  policy: UploadPolicy,
  limits: InspectionLimits = {},
): Promise<UploadVerdict> {
  const file = inspectedOf(candidate, policy, limits);
  let isVerified = true;
  for (const rule of uploadRules) {
    // With validation off a rule refuses nothing, but only what passes it is served as what it says it is.
    if (!isVerified && !rule.isAlways) continue;
    const refusal = await refusalBy(rule, file);
    if (refusal === null || refusal === 'notApplicable') continue;
    if (isEnforced(rule, policy)) return refusal;
    isVerified = false;
  }
  return accepted(file, isVerified);
}

/** Every rule's word on a file, also behind the first that refuses it: for trying a policy out. */
export async function explainUpload(
  candidate: UploadCandidate,
  policy: UploadPolicy,
  limits: InspectionLimits = {},
): Promise<UploadExplanation> {
  const file = inspectedOf(candidate, policy, limits);
  const rules: RuleVerdict[] = [];
  for (const rule of uploadRules) {
    const word = await refusalBy(rule, file);
    rules.push({
      rule: rule.name,
      outcome: word === null ? 'passed' : word === 'notApplicable' ? word : 'refused',
      isEnforced: isEnforced(rule, policy),
      refusal: word === 'notApplicable' ? null : word,
    });
  }
  const first = rules.find(({ refusal, isEnforced }) => refusal !== null && isEnforced)?.refusal;
  const isVerified = rules.every(({ refusal }) => refusal === null);
  return { verdict: first ?? (await accepted(file, isVerified)), rules };
}

/** The verdict that a name and a media type alone are enough for: null if the bytes must be looked at. */
export async function refusalByName(
  { fileName, mediaType }: Omit<UploadCandidate, 'source'>,
  policy: UploadPolicy,
): Promise<RefusedUpload | null> {
  const source = { size: 0, read: async () => Buffer.alloc(0) };
  const file = inspectedOf({ fileName, mediaType, source }, policy, {});
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

function inspectedOf(candidate: UploadCandidate, policy: UploadPolicy, limits: InspectionLimits): Inspected {
  const source = createPagedSource(candidate.source);
  const extension = extensionOf(displayName(candidate.fileName));
  const archiveLimits = { ...ARCHIVE_LIMIT_DEFAULTS, ...limits.archive };
  const kind = fileKind(extension);
  const isZipKind = kind.contents === 'opaque' && kind.headers !== null;
  return {
    policy,
    archiveLimits,
    extension,
    clientMediaType: candidate.mediaType,
    source,
    kind,
    header: once(() => detectHeader(source, isZipKind)),
    archive: once(() => readZipArchive(source, archiveLimits)),
    encoding: once(() => textEncoding(source, limits.textEncodings ?? INSPECTION_DEFAULTS.textEncodings)),
  };
}

async function accepted(file: Inspected, isVerified: boolean): Promise<AcceptedUpload> {
  const mediaType = isVerified ? await verifiedMediaType(file) : UNKNOWN_MEDIA_TYPE;
  return { accepted: true, extension: file.extension, mediaType, verified: isVerified };
}

async function verifiedMediaType({ kind, encoding, header, extension }: Inspected): Promise<string> {
  if (kind.mediaType.startsWith('text/')) {
    return `${kind.mediaType}; charset=${await encoding()}`;
  }
  if (kind.mediaType !== UNKNOWN_MEDIA_TYPE || kind.headers === null || isActiveContent(extension))
    return kind.mediaType;
  return (await header()).mediaType ?? UNKNOWN_MEDIA_TYPE;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
