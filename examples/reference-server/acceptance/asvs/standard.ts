import type { AsvsClaim } from './claim.js';

const CHAPTERS: Readonly<Record<string, string>> = {
  V2: 'Validation and business logic',
  V3: 'Browsers',
  V5: 'Files',
  V6: 'Authentication',
  V7: 'Sessions',
  V8: 'Authorization',
  V9: 'Self-contained tokens',
  V11: 'Cryptography',
  V12: 'Transport',
  V13: 'Configuration',
  V14: 'Data protection',
  V15: 'Secure coding',
  V16: 'Logging and errors',
};

/** The chapters of which every item of levels 1 and 2 has a claim. Of the others there are single items. */
export const COMPLETE_CHAPTERS = ['V2', 'V5', 'V6', 'V7', 'V9', 'V11', 'V16'] as const;

export const chapterOf = (id: string): string => id.slice(0, id.indexOf('.'));

export function chapterTitle(chapter: string): string {
  const title = CHAPTERS[chapter];
  if (title === undefined) throw new TypeError(`there is no chapter ${chapter}`);
  return title;
}

export const requirementRef = (id: string): string => `asvs-5.0.0:${id}`;

/** The part of the standard that there are claims of: ids and levels, with subjects of this project. */
export function asvsStandard(claims: readonly AsvsClaim[]): object {
  const chapters = [...new Set(claims.map(({ id }) => chapterOf(id)))];
  return {
    'bom-ref': 'asvs-5.0.0',
    name: 'Application Security Verification Standard (ASVS)',
    version: '5.0.0',
    description:
      `Items of levels 1 and 2: all of the chapters ${COMPLETE_CHAPTERS.join(', ')}, and single ones of others. Ids ` +
      'and levels are those of the standard; the titles are the words of this project, not the requirements.',
    owner: 'OWASP Foundation',
    requirements: [
      ...chapters.map((chapter) => {
        return { 'bom-ref': requirementRef(chapter), identifier: chapter, title: chapterTitle(chapter) };
      }),
      ...claims.map(({ id, subject }) => {
        return { 'bom-ref': requirementRef(id), identifier: id, title: subject, parent: requirementRef(chapterOf(id)) };
      }),
    ],
    levels: ([1, 2] as const).map((level) => ({
      'bom-ref': `asvs-5.0.0:L${level}`,
      identifier: String(level),
      title: `Level ${level}`,
      requirements: claims.filter((claim) => claim.level === level).map(({ id }) => requirementRef(id)),
    })),
    externalReferences: [{ type: 'website', url: 'https://owasp.org/asvs' }],
  };
}
