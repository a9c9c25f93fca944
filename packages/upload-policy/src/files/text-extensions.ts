import { ACTIVE_EXTENSIONS } from './active-content.js';

/** Active content that isn't text. */
const ACTIVE_BINARIES: readonly string[] = ['swf', 'wasm', 'svgz'];

/** Files without a common signature: what can be checked is that they are text. Requirement UPL-4. */
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['txt', 'text', 'csv', 'tsv', 'log', 'md', 'markdown', 'json', 'jsonl', 'ndjson', 'yaml', 'yml', 'toml', 'ini'],
  ...['conf', 'cfg', 'properties', 'env', 'sql', 'srt', 'vtt', 'ics', 'vcf', 'eml', 'tex', 'bib', 'po', 'pem', 'crt'],
  ...['sh', 'bat', 'cmd', 'ps1', 'py', 'rb', 'php', 'java', 'c', 'h', 'cpp', 'cs', 'go', 'rs', 'geojson', 'gpx', 'kml'],
  ...[...ACTIVE_EXTENSIONS].filter((extension) => !ACTIVE_BINARIES.includes(extension)),
]);

/** @param extension lower case, without the dot. */
export function isTextExtension(extension: string): boolean {
  return TEXT_EXTENSIONS.has(extension);
}
