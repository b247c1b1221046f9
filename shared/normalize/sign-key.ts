/** One spelling of a printed currency sign or word: small letters, no accents, spaces, directions nor closing dots. */
export function signKey(printed: string): string {
  return printed
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f\u200b-\u200f\s]+/g, '')
    .normalize('NFC')
    .replaceAll(/['’‘`ʻʼ׳]/g, "'")
    .replaceAll(/["“”״]/g, "''")
    .toLowerCase()
    .replace(/(?<!\.)\.+$/, '');
}
