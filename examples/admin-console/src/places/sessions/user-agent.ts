/** What browsers send is shorter. Of a longer text only the beginning is read. */
const MAX_LENGTH = 512;

/** Their tokens, with the version. The first one found counts: Edge and Opera name Chrome, which names Safari. */
const BROWSERS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /\bEdg(?:A|iOS)?\/(\d{1,4})/],
  ['Opera', /\bOPR\/(\d{1,4})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\/(\d{1,4})/],
  ['Safari', /\bVersion\/(\d{1,4})\b.*\bSafari\//],
];

/** Android names Linux, and an iPhone names Mac OS X. */
const SYSTEMS: readonly (readonly [name: string, token: RegExp])[] = [
  ['Windows', /\bWindows NT\b/],
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/** The browser with its version, such as `Chrome 156`, and its system. Null for any other program. */
export function agentOf(userAgent: string): { readonly browser: string; readonly system: string } | null {
  const text = userAgent.slice(0, MAX_LENGTH);
  if (!text.startsWith('Mozilla/5.0 (')) return null;
  const system = SYSTEMS.find(([, token]) => token.test(text))?.[0];
  for (const [name, token] of BROWSERS) {
    const version = token.exec(text)?.[1];
    if (version !== undefined && system !== undefined) return { browser: `${name} ${version}`, system };
  }
  return null;
}
