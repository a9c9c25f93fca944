/**
 * Sections that a README needn't have, each with the reason. All others must be there.
 * @type {Record<string, Record<string, string>>}
 */
export const exemptSections = {
  'plugin-kit': {
    'In an existing app': 'it is called by authors of plugins; the READMEs of the plugins say what an application does',
  },
};
