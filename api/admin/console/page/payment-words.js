/** What a payment can be, each with its word. */
export const paymentStates = [
  ['completed', 'paid'],
  ['refunded', 'given back'],
  ['open', 'not paid yet'],
  ['pending', 'on its way'],
  ['failed', 'failed'],
  ['expired', 'never paid'],
];
const words = new Map(paymentStates);

/** What the state of a payment is called where people read it. */
export const namePayment = (status) => words.get(status) ?? status;
