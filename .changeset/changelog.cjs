// The lines of the changelogs: the sentences of the changesets, for users, without the commits that wrote them.

module.exports = {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().split('\n').join('\n  ')}`,
  getDependencyReleaseLine: async (_changesets, updated) =>
    updated.length === 0
      ? ''
      : ['- Updated dependencies', ...updated.map(({ name, newVersion }) => `  - ${name}@${newVersion}`)].join('\n'),
};
