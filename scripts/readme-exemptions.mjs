/**
 * Sections that a README needn't have, each with the reason. All others must be there.
 * @type {Record<string, Record<string, string>>}
 */
export const exemptSections = {
  options: {
    'In an existing app': 'it is called by authors of plugins and factories, and registers nothing in an application',
    Testing: 'it has no store, no clock and no request: a bad option is tested by a call',
  },
  'route-coverage': {
    'In an existing app': 'it is called by authors of plugins; the READMEs of the plugins say what an application does',
  },
  deadline: {
    'In an existing app': 'functions around a call, without state in an application',
  },
};
