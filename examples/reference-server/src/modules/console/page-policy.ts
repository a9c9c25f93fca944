/**
 * The permissions of the console's scripts, in the page and in its workers. The policy of a worker is that of its
 * script.
 */
const SCRIPTS = {
  'default-src': "'none'",
  // The kernel of the envelopes is WebAssembly.
  'script-src': "'self' 'wasm-unsafe-eval'",
  'connect-src': "'self'",
  'worker-src': "'self'",
};

/** Restrictions of all documents of the console. */
const CLOSED = { 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };

/** The policy of a script, which applies if the script is a worker. */
export const SCRIPT_POLICY = inWords({ ...SCRIPTS, ...CLOSED });

/** The policy of the page. Only style elements with the nonce of this answer count, and no inline script does. */
export function pagePolicy(nonce: string): string {
  return inWords({
    ...SCRIPTS,
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'manifest-src': "'self'",
    // Texts become markup or scripts only through the single policy of the console, which accepts style sheets.
    'require-trusted-types-for': "'script'",
    'trusted-types': 'default',
    ...CLOSED,
  });
}

/** The policy of a page that is one text with one inline style. */
export function textPolicy(styleDigest: string): string {
  return inWords({ 'default-src': "'none'", 'style-src': `'sha256-${styleDigest}'`, ...CLOSED });
}

function inWords(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
