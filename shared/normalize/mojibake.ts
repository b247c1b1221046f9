/** UTF-8 read as windows-1252, as `â‚¬` for `€`: the bytes that windows-1252 shows as other characters. */
const CP1252 = new Map(
  [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f', ...'\u0090‘’“”•–—˜™š›œ\u009džŸ'].map((char, index) => [char, 0x80 + index]),
);

const BROKEN = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Repairs a text whose UTF-8 was decoded as windows-1252, once or twice; any other text is given back unchanged. */
export function repairMojibake(text: string): string {
  let repaired = text;
  for (let round = 0; round < 2 && BROKEN.test(repaired); round += 1) {
    const next = repaired.replace(/[\u0080-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}/g, decodeRun);
    if (next === repaired) return repaired;
    repaired = next;
  }
  return repaired;
}

function decodeRun(run: string): string {
  const bytes = Uint8Array.from(run, (char) => CP1252.get(char) ?? char.charCodeAt(0));
  try {
    return decoder.decode(bytes);
  } catch {
    return run;
  }
}
