/**
 * What a browser may run when it opens it: HTML, SVG, JavaScript, XML and what carries them. Such files may be stored
 * if they are listed, but are never previewed and are served as attachments of no type. Requirement UPL-5.
 */
export const ACTIVE_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['html', 'htm', 'xhtml', 'xht', 'shtml', 'shtm', 'mht', 'mhtml', 'hta', 'htc'],
  ...[
    'svg',
    'svgz',
    'xml',
    'xsl',
    'xslt',
    'xsd',
    'rdf',
    'rss',
    'atom',
    'mathml',
    'mml',
    'xul',
    'xaml',
    'wsdl',
    'plist',
  ],
  ...['js', 'mjs', 'cjs', 'jsx', 'ts', 'tsx', 'wasm', 'swf', 'vbs', 'vbe', 'wsf', 'css', 'manifest', 'appcache'],
]);

/** @param extension lower case, without the dot. */
export function isActiveContent(extension: string): boolean {
  return ACTIVE_EXTENSIONS.has(extension);
}
