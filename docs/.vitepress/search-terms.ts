/**
 * The terms of a text or a query: words, and of a run of Chinese, which has no spaces, each pair of neighbours.
 * The page carries this function as text: it uses nothing outside of itself.
 */
export const searchTerms = (text: string): string[] =>
  text.split(/[\n\r\p{Z}\p{P}]+|(\p{Script=Han}+)/u).flatMap((word = '') => {
    if (!/^\p{Script=Han}{2}/u.test(word)) return word === '' ? [] : [word];
    const characters = [...word];
    return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  });
