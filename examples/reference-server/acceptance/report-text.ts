import type { CheckReport, Outcome, RunReport } from './run-checks.js';

const WORDS: Readonly<Record<Outcome, string>> = {
  passed: 'PASS',
  hole: 'HOLE',
  'not-run': 'NOT RUN',
  'not-applicable': 'DOES NOT APPLY',
};

/** The text report of one check. */
export function textOfCheck({ id, title, outcome, did, holes, reason }: CheckReport): string {
  const lines = [
    `${WORDS[outcome]}  ${id}: ${title}`,
    ...holes.map((hole) => `    HOLE: ${hole}`),
    ...did.map((what) => `    ${what}`),
    ...(reason === null ? [] : [`    ${outcome === 'hole' ? 'broke off' : 'because'}: ${reason}`]),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** The summary. */
export function textOfRun({ url, username, checks, leftBehind, interrupted }: RunReport): string {
  const count = (outcome: Outcome) => checks.filter((check) => check.outcome === outcome).length;
  const numbers = `${count('passed')} passed, ${count('hole')} with holes, ${count('not-run')} not run, ${count('not-applicable')} do not apply`;
  const lines = [
    ...(interrupted ? ['Interrupted: the checks that are missing here were not run.'] : []),
    `${url} as ${username}: ${numbers}.`,
    ...(leftBehind.length > 0
      ? ['Left behind, to be deleted by hand or by --clean:', ...leftBehind.map((what) => `    ${what}`)]
      : ['Nothing is left behind but audit records, and counters and keys that expire by themselves.']),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** 0: every applicable check passed. 1: there is a hole. 2: a check could not run, or something was left behind. */
export function exitStatusOf({ checks, leftBehind, interrupted }: RunReport): 0 | 1 | 2 {
  if (checks.some(({ outcome }) => outcome === 'hole')) return 1;
  const isIncomplete = interrupted || leftBehind.length > 0 || checks.some(({ outcome }) => outcome === 'not-run');
  return isIncomplete || !checks.some(({ outcome }) => outcome === 'passed') ? 2 : 0;
}

/** Escapes control characters in answers, because they are printed to a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`;
  });
}
