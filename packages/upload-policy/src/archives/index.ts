export { checkArchiveContents, unpackEntry } from './archive-contents.js';
export { ARCHIVE_LIMIT_DEFAULTS, ARCHIVE_LIMIT_RANGES, type ArchiveLimits } from './archive-limits.js';
export { type ArchiveEntry, readZipArchive, type ZipArchive } from './zip-archive.js';
