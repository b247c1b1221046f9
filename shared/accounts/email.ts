/** The form an address is stored and looked up in: Unicode NFC, lower case, without blanks around it. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}
