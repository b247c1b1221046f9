/**
 * The words of a pattern in small and capital letters alike. For patterns in which other letters are to be as written: V8
 * compiles flags that change within a pattern wrongly at times. `words` holds no class of characters.
 */
export const anyCase = (words: string): string =>
  words.replaceAll(/\\.|\p{Ll}/gu, (part) => (part.startsWith('\\') ? part : `[${part}${part.toUpperCase()}]`));
