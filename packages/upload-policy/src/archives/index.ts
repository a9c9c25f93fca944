export { checkArchiveContents, unpackEntry } from './archive-contents.js';
export { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits, archiveLimitRules } from './archive-limits.js';
export { type ArchiveEntry, readZipArchive, type ZipArchive } from './zip-archive.js';
