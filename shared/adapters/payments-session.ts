/** What somebody is about to pay for. The same order under the same payment id is asked for once, however often it is sent. */
export type CheckoutOrder = {
  paymentId: string;
  listingId: string;
  /** What the buyer reads on the provider's page. */
  product: string;
  amountCents: number;
  currency: string;
  /** Where the provider's page leads back to, with and without a payment. */
  paidUrl: string;
  leftUrl: string;
};

/** Where somebody pays; in stub mode the page is one of our own, and its address is made by whoever knows how it is reached. */
export type CheckoutSession = { id: string; url: string | undefined };

export type Payments = {
  mode: 'payment' | 'stub';
  /** The session of an order: the same one each time it is asked for within a day. Throws NoSession when the provider gives none. */
  openSession(order: CheckoutOrder): Promise<CheckoutSession>;
  /** Gives all of a payment back, once however often it is asked for; one that was given back elsewhere already is none to give back. Throws NoRefund. */
  refund(order: RefundOrder): Promise<void>;
};

/** A payment as we and as the provider call it. */
export type RefundOrder = { paymentId: string; intent: string; amountCents: number };

/** The provider gives nothing back; the message may be logged. */
export class NoRefund extends Error {
  override readonly name = 'NoRefund';
}

/** The provider gives no session; the message may be logged. */
export class NoSession extends Error {
  /** The provider has answered, and may give the same answer to this payment id for a day: the next try needs another one. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.name = 'NoSession';
    this.isFinal = isFinal;
  }
}
