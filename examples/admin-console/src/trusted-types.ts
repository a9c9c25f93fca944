/** What a script may write into the page as markup, or load as a script (Trusted Types). */
interface ScriptRules {
  createHTML(text: string): string;
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    /** Absent in browsers without Trusted Types. */
    readonly trustedTypes?: { createPolicy(name: 'default', rules: ScriptRules): unknown };
  }
}

// The policy of the page refuses every text that a script would write as markup, unless it passes here. React and
// Mantine write the style sheets of components so, which have no markup.
window.trustedTypes?.createPolicy('default', {
  createHTML(text) {
    if (text.includes('<')) throw new TypeError('The page writes no markup');
    return text;
  },
  // The worker of the proof of work.
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, location.href);
    if (origin !== location.origin || !pathname.startsWith('/console/assets/')) {
      throw new TypeError('The page loads scripts of its build only');
    }
    return url;
  },
});

export {};
